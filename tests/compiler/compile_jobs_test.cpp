// Parts of bundles compiled side by side: order, failures, notes; and that the cache changes no byte.
#include "compiler/bundle/compile_jobs.h"

#include "compiler/bundle/assemble.h"
#include "compiler/cache/compilation_cache.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/process/failure.h"
#include "tests/compiler/layers.h"
#include "tests/tools/temporary_folder.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace {

using namespace compiler;

// Job number i takes longer the earlier it is, so that the last are ready first.
CompileJob slowJob(int i, int jobs, std::vector<int> &added) {
  return {std::to_string(i), [=, &added] {
            std::this_thread::sleep_for(std::chrono::milliseconds(2 * (jobs - i)));
            return CompiledPart{[=, &added](BundleParts &) { added.push_back(i); },
                                {i % 2 == 0 ? "even" : "odd", "all"}};
          }};
}

TEST(CompileJobs, AreAddedInTheirOrderWhateverIsReadyFirst) {
  for (const int threads : {0, 1, 2, 7}) {
    constexpr int jobs = 9;
    std::vector<int> added;
    std::vector<CompileJob> list;
    for (int i = 0; i < jobs; ++i)
      list.push_back(slowJob(i, jobs, added));
    std::vector<std::string> notes;
    size_t last = 0;
    BundleParts parts;
    runCompileJobs(
        list, threads,
        [&](size_t done, size_t total, const std::string &) {
          EXPECT_EQ(total, size_t{jobs});
          EXPECT_GE(done, last);
          last = done;
        },
        [&](const std::string &note) { notes.push_back(note); }, parts);
    EXPECT_EQ(added, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8})) << threads;
    EXPECT_EQ(notes, (std::vector<std::string>{"even", "all", "odd"}));
    EXPECT_EQ(last, size_t{jobs});
  }
  BundleParts parts;
  runCompileJobs({}, 0, {}, {}, parts);
}

TEST(CompileJobs, TheFirstFailureInOrderIsTheOneThatIsSaid) {
  for (int round = 0; round < 20; ++round) {
    std::vector<CompileJob> list;
    int added = 0;
    for (int i = 0; i < 6; ++i)
      list.push_back({std::to_string(i), [=, &added]() -> CompiledPart {
                        // 4 fails at once, 2 only later: as one after another it would be 2.
                        if (i == 2)
                          std::this_thread::sleep_for(std::chrono::milliseconds(3));
                        if (i == 2 || i == 4)
                          throw Failure("job " + std::to_string(i));
                        return {[&added](BundleParts &) { ++added; }, {}};
                      }});
    BundleParts parts;
    try {
      runCompileJobs(list, 0, {}, {}, parts);
      ADD_FAILURE() << "did not fail";
    } catch (const Failure &failure) {
      EXPECT_STREQ(failure.what(), "job 2");
    }
    EXPECT_EQ(added, 0);
  }
}

TEST(CompilationCache, ChangesNoByteOfABundle) {
  TemporaryFolder folder;
  for (const char *name : {"CompleteUnequalHalf", "GraphHalf"}) {
    const Spec spec = compiler_test::makeSpec(compiler_test::layerCase(name));
    CompileOptions options;
    options.cpu_levels = {"x86-64-v3", "x86-64-v4"};
    compileBundle(spec, folder.path("anew.alg"), options);
    options.cache = std::make_shared<const CompilationCache>(folder.path("cache"));
    const ContentCache contents(folder.path("cache"));
    const size_t before = contents.list().size();
    compileBundle(spec, folder.path("cold.alg"), options);
    EXPECT_EQ(contents.list().size(), before + 2) << name;
    options.threads = 1;
    compileBundle(spec, folder.path("warm.alg"), options);
    EXPECT_EQ(contents.list().size(), before + 2) << "found again";
    EXPECT_TRUE(folder.read("anew.alg") == folder.read("cold.alg")) << name;
    EXPECT_TRUE(folder.read("anew.alg") == folder.read("warm.alg")) << name;
    EXPECT_EQ(folder.read("cold.alg").find(folder.path("")), std::string::npos);
  }
  // No entry knows where it was made.
  for (const ContentCache::Entry &entry : ContentCache(folder.path("cache")).list()) {
    const std::string bytes = folder.read("cache/" + entry.key.substr(0, 2) + "/" + entry.key.substr(2));
    EXPECT_EQ(bytes.size(), entry.bytes);
    for (const char *place : {ALGCTL_SOURCE_DIR, "/tmp/", "/home/", "/usr/"})
      EXPECT_EQ(bytes.find(place), std::string::npos) << entry.what;
  }
}

TEST(CompilationCache, ThatCannotBeWrittenIsNotedOnce) {
  TemporaryFolder folder;
  folder.write("cache", "in the way");
  CompileOptions options;
  options.cpu_levels = {"x86-64-v3", "x86-64-v4"};
  options.cache = std::make_shared<const CompilationCache>(folder.path("cache"));
  std::vector<std::string> notes;
  options.note = [&](const std::string &note) { notes.push_back(note); };
  compileBundle(compiler_test::makeSpec(compiler_test::layerCase("Path")), folder.path("a.alg"), options);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("not kept"), std::string::npos) << notes[0];
  EXPECT_GT(folder.read("a.alg").size(), 0u);
}

} // namespace
