// The folder of compiled kernels: what is found again, what is not, and what other processes may do to it.
#include "compiler/cache/build_identity.h"
#include "compiler/cache/compilation_cache.h"
#include "compiler/process/failure.h"

#include "tests/tools/temporary_folder.h"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace compiler {
namespace {

namespace fs = std::filesystem;

std::string keyOf(const std::string &text) { return CacheKey().add("test", text).digits(); }

class ContentCacheTest : public testing::Test {
protected:
  fs::path fileOf(const std::string &key) const { return cache.folder() / key.substr(0, 2) / key.substr(2); }

  std::string bytesOf(const std::string &key) const {
    std::ifstream file(fileOf(key), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void overwrite(const fs::path &file, const std::string &bytes) const {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  }
  void age(const std::string &key, std::chrono::hours hours) const {
    fs::last_write_time(fileOf(key), ContentCache::Time::clock::now() - hours);
  }
  size_t files() const {
    size_t count = 0;
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(cache.folder()))
      count += entry.is_regular_file();
    return count;
  }

  TemporaryFolder temporary;
  ContentCache cache{temporary.path("cache/kernels")};
};

TEST(CacheKey, TellsIngredientsApart) {
  // FIPS 180-4 of "4:test5:abcde", from another implementation.
  EXPECT_EQ(keyOf("abcde"), "257fb62a0ad9905d87ed59170390c20874266eabe2fdfbbc94838af3479f2827");
  EXPECT_NE(CacheKey().add("a", "bc").digits(), CacheKey().add("ab", "c").digits());
  EXPECT_NE(CacheKey().add("a", "b").add("c", "d").digits(), CacheKey().add("c", "d").add("a", "b").digits());
  EXPECT_NE(CacheKey().add("a", "").digits(), CacheKey().digits());
  EXPECT_NE(CompilationCache::key("x").digits(), CompilationCache::key("y").digits());
}

TEST(BuildIdentity, NamesNoPlace) {
  EXPECT_FALSE(buildIdentity().empty());
  EXPECT_EQ(buildIdentity().find('/'), std::string::npos);
}

TEST_F(ContentCacheTest, WhatIsStoredIsFoundByteForByte) {
  EXPECT_EQ(cache.load(keyOf("a")), std::nullopt);
  EXPECT_TRUE(cache.list().empty());
  std::string value = "line\n\0line\n";
  for (int i = 0; i < 1000; ++i)
    value += static_cast<char>(i);
  EXPECT_EQ(cache.store(keyOf("a"), "a\nkernel", value), "");
  EXPECT_EQ(cache.store(keyOf("b"), "empty", ""), "");
  EXPECT_EQ(cache.load(keyOf("a")), value);
  EXPECT_EQ(cache.load(keyOf("b")), "");
  ASSERT_EQ(cache.list().size(), 2u);
  age(keyOf("a"), std::chrono::hours(1));
  EXPECT_EQ(cache.list()[1].key, keyOf("a"));
  EXPECT_EQ(cache.list()[1].what, "a kernel");
  EXPECT_EQ(cache.list()[1].bytes, bytesOf(keyOf("a")).size());
  EXPECT_TRUE(cache.verify().empty());
  EXPECT_EQ(files(), 2u);
}

TEST_F(ContentCacheTest, AnyByteThatIsOtherMakesAnEntryAbsent) {
  const std::string key = keyOf("a");
  cache.store(key, "a", "some value");
  const std::string whole = bytesOf(key);
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    overwrite(fileOf(key), damaged);
    EXPECT_EQ(cache.load(key), std::nullopt) << at;
    EXPECT_EQ(cache.verify().size(), 1u) << at;
    overwrite(fileOf(key), whole.substr(0, at));
    EXPECT_EQ(cache.load(key), std::nullopt) << at;
    EXPECT_EQ(cache.verify().size(), 1u) << at;
  }
  EXPECT_EQ(cache.verify()[0].file, key.substr(0, 2) + "/" + key.substr(2));
  EXPECT_NE(cache.verify()[0].reason.find("hash"), std::string::npos) << cache.verify()[0].reason;
  // Made anew, it is whole.
  cache.store(key, "a", "some value");
  EXPECT_EQ(cache.load(key), "some value");
  EXPECT_TRUE(cache.verify().empty());
}

TEST_F(ContentCacheTest, AnEntryUnderAnotherNameIsNotThatOne) {
  cache.store(keyOf("a"), "a", "value of a");
  cache.store(keyOf("b"), "b", "value of b");
  fs::copy_file(fileOf(keyOf("a")), fileOf(keyOf("b")), fs::copy_options::overwrite_existing);
  EXPECT_EQ(cache.load(keyOf("b")), std::nullopt);
  EXPECT_EQ(cache.load(keyOf("a")), "value of a");
  ASSERT_EQ(cache.verify().size(), 1u);
  EXPECT_NE(cache.verify()[0].reason.find("another key"), std::string::npos);
}

TEST_F(ContentCacheTest, ManyWritersLeaveWholeEntries) {
  constexpr int keys = 8, rounds = 40;
  const auto value_of = [](int key) { return std::string(5000, static_cast<char>('a' + key)); };
  const auto work = [&](bool child) {
    bool right = true;
    for (int round = 0; round < rounds; ++round)
      for (int key = 0; key < keys; ++key) {
        right = right && cache.store(keyOf(std::to_string(key)), "k", value_of(key)).empty();
        const auto found = cache.load(keyOf(std::to_string(child ? keys - 1 - key : key)));
        right = right && (!found || *found == value_of(child ? keys - 1 - key : key));
      }
    return right;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    if (child == 0)
      ::_exit(work(true) ? 0 : 1);
    children.push_back(child);
  }
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] { wrong += !work(false); });
  for (std::thread &thread : threads)
    thread.join();
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(cache.list().size(), static_cast<size_t>(keys));
  EXPECT_TRUE(cache.verify().empty());
  EXPECT_EQ(files(), static_cast<size_t>(keys)) << "nothing else is left behind";
}

TEST_F(ContentCacheTest, TheLeastRecentlyUsedGoFirst) {
  uint64_t one = 0;
  for (int i = 0; i < 5; ++i) {
    cache.store(keyOf(std::to_string(i)), "k", std::string(1000, 'x'));
    age(keyOf(std::to_string(i)), std::chrono::hours(100 - 10 * i));
    one = fs::file_size(fileOf(keyOf(std::to_string(i))));
  }
  EXPECT_TRUE(cache.load(keyOf("0"))); // used again: the last to go
  ContentCache::Limits limits;
  limits.bytes = 3 * one;
  ContentCache::Collected collected = cache.collect(limits);
  ASSERT_EQ(collected.removed.size(), 2u);
  EXPECT_EQ(collected.removed[0].key, keyOf("1"));
  EXPECT_EQ(collected.removed[1].key, keyOf("2"));
  EXPECT_EQ(collected.kept, 3u);
  EXPECT_EQ(collected.kept_bytes, 3 * one);
  EXPECT_EQ(cache.load(keyOf("1")), std::nullopt);
  limits = {};
  limits.since_use = std::chrono::hours(65);
  collected = cache.collect(limits);
  ASSERT_EQ(collected.removed.size(), 1u);
  EXPECT_EQ(collected.removed[0].key, keyOf("3"));
  limits.bytes = 0;
  EXPECT_EQ(cache.collect(limits).removed.size(), 2u);
  EXPECT_EQ(files(), 0u);
}

TEST_F(ContentCacheTest, OnlyItsOwnFilesAreRemoved) {
  const std::string key = keyOf("a");
  cache.store(key, "a", "value");
  const fs::path old = fileOf(key).string() + ".abc123", young = fileOf(key).string() + ".abc124",
                 foreign = cache.folder() / "letter.txt",
                 foreign_beside = fileOf(key).parent_path() / "notes";
  for (const fs::path &file : {old, young, foreign, foreign_beside})
    overwrite(file, "bytes");
  for (const fs::path &file : {old, foreign, foreign_beside})
    fs::last_write_time(file, ContentCache::Time::clock::now() - std::chrono::hours(48));
  ContentCache::Limits none;
  EXPECT_EQ(cache.collect(none).leftovers, 1u);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young) && fs::exists(foreign) && fs::exists(foreign_beside));
  EXPECT_EQ(cache.list().size(), 1u);
  EXPECT_EQ(cache.verify().size(), 2u) << "what is no entry is said";
}

TEST_F(ContentCacheTest, WhereItCannotBeWrittenTheReasonIsSaid) {
  // A file where the folder would be: nobody can write there, root included.
  fs::create_directories(cache.folder().parent_path());
  overwrite(cache.folder(), "in the way");
  const std::string first = cache.store(keyOf("a"), "a", "value"), second = cache.store(keyOf("b"), "b", "v");
  EXPECT_NE(first.find(cache.folder().string()), std::string::npos) << first;
  EXPECT_EQ(first, second) << "one note for all";
  EXPECT_EQ(cache.load(keyOf("a")), std::nullopt);
}

TEST_F(ContentCacheTest, WhatOthersCanWriteIsNotUsed) {
  const std::string key = keyOf("a");
  ASSERT_EQ(cache.store(key, "a", "value"), "");
  const fs::path subfolder = fileOf(key).parent_path();
  for (const fs::path &place : {cache.folder(), subfolder, fileOf(key)})
    for (const auto &[who, words] : {std::pair(fs::perms::group_write, "can be written by its group"),
                                     std::pair(fs::perms::others_write, "can be written by everybody")}) {
      const fs::perms before = fs::status(place).permissions();
      fs::permissions(place, before | who);
      EXPECT_EQ(cache.load(key), std::nullopt) << place;
      ASSERT_EQ(cache.verify().size(), 1u) << place;
      EXPECT_NE(cache.verify()[0].reason.find(words), std::string::npos) << cache.verify()[0].reason;
      EXPECT_EQ(cache.reasonToDistrust(), place == cache.folder() ? words : "");
      fs::permissions(place, before);
      EXPECT_EQ(cache.load(key), "value") << place;
    }
  fs::permissions(cache.folder(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_EQ(cache.store(key, "a", "value"), cache.folder().string() + " can be written by its group");
  EXPECT_THROW(cache.collect({}), Failure);
  const CompilationCache kernels(cache.folder());
  EXPECT_NE(kernels.store(CompilationCache::key("k"), "k", "value").find("decides what its users run"),
            std::string::npos);
}

TEST_F(ContentCacheTest, WhatBelongsToAnotherIsNotUsed) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root gives files away";
  const std::string key = keyOf("a");
  ASSERT_EQ(cache.store(key, "a", "value"), "");
  for (const fs::path &place : {cache.folder(), fileOf(key).parent_path(), fileOf(key)}) {
    ASSERT_EQ(::chown(place.c_str(), 65534, 65534), 0);
    EXPECT_EQ(cache.load(key), std::nullopt) << place;
    ASSERT_EQ(cache.verify().size(), 1u) << place;
    EXPECT_NE(cache.verify()[0].reason.find("belongs to user 65534"), std::string::npos);
    ASSERT_EQ(::chown(place.c_str(), 0, 0), 0);
    EXPECT_EQ(cache.load(key), "value") << place;
  }
  // What root has stored others take, and cannot change.
  fs::permissions(cache.folder(), fs::perms(0755));
  fs::permissions(cache.folder().parent_path(), fs::perms(0755));
  const pid_t child = ::fork();
  if (child == 0) {
    const ContentCache shared("kernels");
    const bool right = ::chdir(cache.folder().parent_path().c_str()) == 0 && ::setuid(65534) == 0 &&
                       shared.load(key) == "value" && !shared.store(key, "a", "other").empty();
    ::_exit(right ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(ContentCacheTest, OnlyRegularFilesAreEntriesAndNothingIsWaitedFor) {
  const std::string key = keyOf("a"), other = keyOf("b");
  ASSERT_EQ(cache.store(key, "a", "value"), "");
  const fs::path aside = cache.folder().parent_path() / "aside";
  fs::rename(fileOf(key), aside);
  ASSERT_EQ(::mkfifo(fileOf(key).c_str(), 0600), 0); // nobody ever writes to it
  EXPECT_EQ(cache.load(key), std::nullopt);
  ASSERT_EQ(cache.verify().size(), 1u);
  EXPECT_EQ(cache.verify()[0].reason, "is no regular file");
  ASSERT_EQ(cache.list().size(), 1u);
  EXPECT_EQ(cache.list()[0].what, "");
  fs::remove(fileOf(key));
  fs::create_symlink(aside, fileOf(key));
  EXPECT_EQ(cache.load(key), std::nullopt);
  EXPECT_EQ(cache.verify()[0].reason, "is a symbolic link");
  fs::remove(fileOf(key));
  fs::create_directory(fileOf(key));
  EXPECT_EQ(cache.load(key), std::nullopt);
  EXPECT_NE(cache.store(key, "a", "value"), "");
  fs::remove(fileOf(key));
  ASSERT_EQ(::mkfifo(fileOf(key).c_str(), 0600), 0);
  EXPECT_EQ(cache.store(key, "a", "value"), "") << "it is replaced";
  EXPECT_EQ(cache.load(key), "value");
  // The folder itself may be reached by a link.
  fs::create_directory_symlink(cache.folder(), temporary.path("link"));
  EXPECT_EQ(ContentCache(temporary.path("link")).load(key), "value");
}

TEST_F(ContentCacheTest, ItsFilesAreTheUsersWhateverTheMask) {
  const mode_t mask = ::umask(0);
  EXPECT_EQ(cache.store(keyOf("a"), "a", "value"), "");
  ::umask(0077);
  EXPECT_EQ(cache.store(keyOf("b"), "b", "value"), "");
  ::umask(mask);
  EXPECT_EQ(fs::status(cache.folder()).permissions(), fs::perms(0700));
  EXPECT_EQ(fs::status(fileOf(keyOf("a"))).permissions(), fs::perms(0644));
  EXPECT_EQ(fs::status(fileOf(keyOf("b"))).permissions(), fs::perms(0600));
  EXPECT_EQ(cache.load(keyOf("a")), "value");
  EXPECT_EQ(cache.load(keyOf("b")), "value");
  EXPECT_TRUE(cache.verify().empty());
}

TEST_F(ContentCacheTest, AReadOnlyFolderIsRead) {
  if (::geteuid() == 0)
    GTEST_SKIP() << "root writes everywhere";
  cache.store(keyOf("a"), "a", "value");
  const std::string other = keyOf("a").substr(0, 2) + std::string(62, '0');
  fs::permissions(fileOf(keyOf("a")).parent_path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(cache.load(keyOf("a")), "value");
  EXPECT_NE(cache.store(other, "b", "value"), "");
  fs::permissions(fileOf(keyOf("a")).parent_path(), fs::perms::owner_all);
}

TEST_F(ContentCacheTest, KernelsComeBackAsTheyWere) {
  const CompilationCache kernels(cache.folder());
  const CacheKey with = CompilationCache::key("GPU kernel").add("program", "p"),
                 without = CompilationCache::key("GPU kernel").add("program", "q");
  EXPECT_EQ(kernels.storeKernel(with, "k", {"ptx text\n", std::string("\177ELF\0\n1 2\n", 10), 168}), "");
  EXPECT_EQ(kernels.storeKernel(without, "k", {"ptx", "", 0}), "");
  const std::optional<KernelCode> code = kernels.loadKernel(with), other = kernels.loadKernel(without);
  ASSERT_TRUE(code && other);
  EXPECT_EQ(code->ptx, "ptx text\n");
  EXPECT_EQ(code->cubin, std::string("\177ELF\0\n1 2\n", 10));
  EXPECT_EQ(code->registers, 168);
  EXPECT_EQ(other->ptx, "ptx");
  EXPECT_EQ(other->cubin, "");
  // A value that is whole but no kernel's.
  for (const char *value : {"", "12", "1 2", "1 99\nptx", "x 3\nptx", "1 x\nptx"}) {
    kernels.store(with, "k", value);
    EXPECT_FALSE(kernels.loadKernel(with)) << value;
  }
}

TEST(CacheFolder, FollowsTheVariables) {
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  ::setenv("HOME", "/home/one", 1);
  ::setenv("XDG_CACHE_HOME", "/xdg", 1);
  ::setenv("ALGCTL_CACHE", "/own", 1);
  EXPECT_EQ(kernelCacheFolder(), "/own/kernels");
  ::setenv("ALGCTL_CACHE", "", 1);
  EXPECT_EQ(kernelCacheFolder(), "/xdg/algctl/kernels");
  ::unsetenv("ALGCTL_CACHE");
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(kernelCacheFolder(), "/home/one/.cache/algctl/kernels");
  ::unsetenv("HOME");
  EXPECT_TRUE(kernelCacheFolder().empty());
  if (!home.empty())
    ::setenv("HOME", home.c_str(), 1);
}

} // namespace
} // namespace compiler
