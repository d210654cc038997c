#include "compiler/tools/output_file.h"

#include "compiler/process/failure.h"
#include "tests/tools/temporary_folder.h"

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

TEST(OutputFile, AppearsWholeOnCommit) {
  TemporaryFolder folder;
  std::string path = folder.write("out", "old");
  {
    compiler::OutputFile file(path);
    EXPECT_EQ(folder.read("out"), "old");
    file.commit("new contents");
  }
  EXPECT_EQ(folder.read("out"), "new contents");
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST(OutputFile, LeavesNothingWithoutCommit) {
  TemporaryFolder folder;
  {
    compiler::OutputFile file(folder.path("out"));
  }
  EXPECT_EQ(folder.fileCount(), 0u);
}

TEST(OutputFile, HasTheModeOfAnOrdinaryFile) {
  TemporaryFolder folder;
  mode_t mask = umask(022);
  compiler::OutputFile(folder.path("out")).commit("x");
  umask(mask);
  struct stat status{};
  ASSERT_EQ(stat(folder.path("out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST(OutputFile, RefusesPlacesThatCannotBeWritten) {
  TemporaryFolder folder;
  EXPECT_THROW(compiler::OutputFile(folder.path("absent/out")), compiler::Failure);
  EXPECT_THROW(compiler::OutputFile(folder.path("")), compiler::Failure);
}

TEST(OutputFile, OneFileHasManyNames) {
  TemporaryFolder folder;
  const std::string file = folder.path("a.npy");
  EXPECT_TRUE(compiler::nameOneFile(file, file));
  EXPECT_TRUE(compiler::nameOneFile(file, folder.path("./a.npy")));
  EXPECT_TRUE(compiler::nameOneFile("a.npy", "./a.npy"));
  EXPECT_TRUE(compiler::nameOneFile("absent/../a.npy", "a.npy"));
  EXPECT_FALSE(compiler::nameOneFile(file, folder.path("b.npy")));
  // A link is replaced by what is written in its place.
  folder.write("b.npy", "old");
  ASSERT_EQ(symlink(folder.path("b.npy").c_str(), file.c_str()), 0);
  EXPECT_FALSE(compiler::nameOneFile(file, folder.path("b.npy")));
  // What keeps nothing loses nothing.
  EXPECT_FALSE(compiler::nameOneFile("/dev/null", "/dev/null"));
}

TEST(OutputFile, TwoAreCommittedTogether) {
  TemporaryFolder folder;
  folder.write("source", "old");
  compiler::OutputFile source(folder.path("source")), header(folder.path("header"));
  compiler::commitBoth(source, "new", header, "also new");
  EXPECT_EQ(folder.read("source"), "new");
  EXPECT_EQ(folder.read("header"), "also new");
  EXPECT_EQ(folder.fileCount(), 2u);
}

TEST(OutputFile, NeitherOfTwoIsCommittedWhereOneCannotBeRenamed) {
  for (const bool exists : {false, true})
    for (const bool first_fails : {false, true}) {
      TemporaryFolder folder;
      if (exists)
        folder.write("works", "old");
      {
        compiler::OutputFile works(folder.path("works")), fails(folder.path("fails"));
        ASSERT_EQ(mkdir(folder.path("fails").c_str(), 0777), 0); // no file can take a folder's place
        if (first_fails)
          EXPECT_THROW(compiler::commitBoth(fails, "new", works, "new"), compiler::Failure);
        else
          EXPECT_THROW(compiler::commitBoth(works, "new", fails, "new"), compiler::Failure);
      }
      if (exists)
        EXPECT_EQ(folder.read("works"), "old") << first_fails;
      EXPECT_EQ(folder.fileCount(), exists ? 2u : 1u) << first_fails; // the folder among them
    }
}

TEST(OutputFile, NeitherOfTwoIsCommittedWhereOneCannotBeWritten) {
  TemporaryFolder folder;
  folder.write("first", "old");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit little{8, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  {
    compiler::OutputFile first(folder.path("first")), second(folder.path("second"));
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
    EXPECT_THROW(compiler::commitBoth(first, "new", second, "longer than the limit"), compiler::Failure);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  }
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(folder.read("first"), "old");
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST(OutputFile, StandardOutputHasAName) {
  testing::internal::CaptureStdout();
  {
    compiler::OutputFile dash("-");
    EXPECT_TRUE(dash.isStandardOutput());
    EXPECT_TRUE(dash.inPlace());
    dash.commit("one ");
    compiler::OutputFile("/dev/stdout").commit("two ");
    compiler::OutputFile("/dev/fd/1").commit("three");
    EXPECT_FALSE(compiler::OutputFile("/dev/stderr").isStandardOutput());
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "one two three");
  EXPECT_TRUE(compiler::namesStandardOutput("/proc/self/fd/1"));
  EXPECT_FALSE(compiler::namesStandardOutput("/dev/fd/12"));
  EXPECT_FALSE(compiler::namesStandardOutput(""));
  EXPECT_THROW(compiler::OutputFile("/dev/fd/987"), compiler::Failure);
}

// In this process the reader is the one who writes.
TEST(OutputFile, WritesPipesThatSomebodyReads) {
  TemporaryFolder folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THROW(compiler::OutputFile file(path), compiler::Failure);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  compiler::OutputFile(path).commit("through");
  char bytes[16] = {};
  EXPECT_EQ(read(reader, bytes, sizeof bytes), 7);
  EXPECT_STREQ(bytes, "through");
  close(reader);
  struct stat status{};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_TRUE(S_ISFIFO(status.st_mode));
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST(OutputFile, WritesDevicesInPlace) {
  compiler::OutputFile("/dev/null").commit("x");
  struct stat status{};
  ASSERT_EQ(stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
  EXPECT_THROW(compiler::OutputFile("/dev/full").commit("x"), compiler::Failure);
}

} // namespace
