// algctl cache, in a build without the compiler too.
#include "compiler/cache/content_cache.h"

#include "compiler/cache/cache_key.h"
#include "tests/tools/outcome.h"
#include "tests/tools/temporary_folder.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

namespace {

using namespace compiler;

TEST(CacheCommand, ListsVerifiesAndCollects) {
  const TemporaryFolder temporary;
  ::setenv("ALGCTL_CACHE", temporary.path("").c_str(), 1);
  EXPECT_NE(algctl({"cache", "ls"}).out.find("0 entries, 0 bytes"), std::string::npos);
  const ContentCache cache(kernelCacheFolder());
  const std::string first = CacheKey().add("n", "1").digits(), second = CacheKey().add("n", "2").digits();
  ASSERT_EQ(cache.store(first, "kernel one", "value"), "");
  ASSERT_EQ(cache.store(second, "kernel two", "value"), "");
  const std::filesystem::path file = cache.folder() / first.substr(0, 2) / first.substr(2);
  std::filesystem::last_write_time(file, ContentCache::Time::clock::now() - std::chrono::hours(72));

  const Outcome listed = algctl({"cache", "ls", "--json"});
  EXPECT_EQ(listed.code, ExitCode::Done) << listed.err;
  const nlohmann::json json = nlohmann::json::parse(listed.out);
  ASSERT_EQ(json["entries"].size(), 2u);
  EXPECT_EQ(json["entries"][0]["key"], second);
  EXPECT_EQ(json["entries"][1]["what"], "kernel one");
  EXPECT_EQ(algctl({"cache", "verify"}).code, ExitCode::Done);

  std::ofstream(cache.folder() / second.substr(0, 2) / second.substr(2), std::ios::app) << "more";
  const Outcome damaged = algctl({"cache", "verify", "--json"});
  EXPECT_EQ(damaged.code, ExitCode::VerificationFailed);
  EXPECT_EQ(nlohmann::json::parse(damaged.out)["faults"].size(), 1u);

  EXPECT_NE(algctl({"cache", "gc", "--older-than", "4"}).out.find("0 entries removed"), std::string::npos);
  EXPECT_NE(algctl({"cache", "gc", "--older-than", "2"}).out.find("1 entries removed, 1 kept"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_NE(algctl({"cache", "gc", "--keep-bytes", "0"}).out.find("1 entries removed, 0 kept"),
            std::string::npos);
  // The folder of a process that was killed.
  ::setenv("TMPDIR", temporary.path("").c_str(), 1);
  std::filesystem::create_directory(temporary.path("algctl-abcdef"));
  std::filesystem::permissions(temporary.path("algctl-abcdef"), std::filesystem::perms::owner_all);
  const Outcome swept = algctl({"cache", "gc", "--json"});
  EXPECT_EQ(nlohmann::json::parse(swept.out)["temporary_folders"], 1);
  EXPECT_FALSE(std::filesystem::exists(temporary.path("algctl-abcdef")));
  ::unsetenv("TMPDIR");
  expectFailure(algctl({"cache", "gc", "--keep-bytes", "many"}), ExitCode::WrongUsage, "not a whole number");
  expectFailure(algctl({"cache"}), ExitCode::WrongUsage, "algctl cache --help");
  ::unsetenv("ALGCTL_CACHE");
}

} // namespace
