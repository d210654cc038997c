#include "runtime/support/memory.h"

#include "runtime/support/error.h"
#include "tests/tools/temporary_folder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// Files as they lie under "/".
class MemoryFiles : public testing::Test {
protected:
  void write(const std::string &path, const std::string &text) {
    const std::filesystem::path file = root() + "/" + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string root() const { return folder_.path("root"); }
  std::optional<uint64_t> left() const { return algrt::memoryOfSystem(root()); }

private:
  TemporaryFolder folder_;
};

TEST_F(MemoryFiles, KnowsNothingWhereNothingIsSaid) { EXPECT_FALSE(left()); }

TEST_F(MemoryFiles, ReadsWhatTheSystemHasAvailable) {
  write("proc/meminfo", "MemTotal:       16000 kB\nMemFree:        3000 kB\nMemAvailable:    9000 kB\n");
  EXPECT_EQ(left(), 9000u * 1024);
}

TEST_F(MemoryFiles, TakesTheTightestGroupOfVersionTwo) {
  write("proc/meminfo", "MemAvailable:    9000 kB\n");
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/memory.max", "5000000\n");
  write("sys/fs/cgroup/a/memory.current", "1500000\n");
  write("sys/fs/cgroup/a/memory.stat", "anon 1000000\ninactive_file 300000\nactive_file 200000\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  write("sys/fs/cgroup/a/b/memory.current", "1000000\n");
  EXPECT_EQ(left(), 4000000u);
}

TEST_F(MemoryFiles, TakesTheRootOfWhatIsMountedInAContainer) {
  write("proc/self/cgroup", "0::/system/of/the/host\n");
  write("sys/fs/cgroup/memory.max", "700\n");
  write("sys/fs/cgroup/memory.current", "900\n");
  EXPECT_EQ(left(), 0u);
}

TEST_F(MemoryFiles, ReadsGroupsOfVersionOne) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker\n0::/x\n");
  write("sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "8000\n");
  write("sys/fs/cgroup/memory/docker/memory.usage_in_bytes", "6000\n");
  write("sys/fs/cgroup/memory/docker/memory.stat",
        "inactive_file 1\ntotal_inactive_file 1000\ntotal_active_file 0\n");
  EXPECT_EQ(left(), 3000u);
}

TEST(Memory, RefusesWhatNoMachineHasWithBothNumbers) {
  const std::optional<uint64_t> available = algrt::availableMemory();
  ASSERT_TRUE(available);
  EXPECT_GT(*available, 0u);
  EXPECT_NO_THROW(algrt::requireMemory(1, "one byte"));
  try {
    algrt::requireMemory(uint64_t(1) << 60, "what is tested");
    FAIL() << "an exbibyte was granted";
  } catch (const algrt::Error &error) {
    EXPECT_EQ(error.status(), ALGRT_OUT_OF_MEMORY);
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("what is tested takes 1152921504606846976 bytes (1.0 EiB), and there are "))
        << error.what();
  }
}

// In a process of its own: the limit stays.
TEST(Memory, KnowsTheLimitOfTheAddressSpace) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // A gigabyte more than there is: sanitizers take terabytes of the address space.
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    constexpr uint64_t more = uint64_t(1) << 30;
    const uint64_t most = pages * uint64_t(::sysconf(_SC_PAGESIZE)) + more;
    const struct rlimit limit{most, most};
    if (pages == 0 || ::setrlimit(RLIMIT_AS, &limit) != 0)
      ::_exit(2);
    const std::optional<uint64_t> available = algrt::availableMemory();
    ::_exit(available && *available <= more ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Memory, WritesSizesExactlyAndForTheEye) {
  EXPECT_EQ(algrt::byteText(1), "1 byte");
  EXPECT_EQ(algrt::byteText(1023), "1023 bytes");
  EXPECT_EQ(algrt::byteText(1536), "1536 bytes (1.5 KiB)");
  EXPECT_EQ(algrt::byteText(uint64_t(17) << 30), "18253611008 bytes (17.0 GiB)");
}

} // namespace
