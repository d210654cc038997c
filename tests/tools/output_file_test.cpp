#include "compiler/tools/output_file.h"

#include "compiler/failure.h"
#include "tests/tools/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

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
  { compiler::OutputFile file(folder.path("out")); }
  EXPECT_EQ(folder.fileCount(), 0u);
}

TEST(OutputFile, HasTheModeOfAnOrdinaryFile) {
  TemporaryFolder folder;
  mode_t mask = umask(022);
  compiler::OutputFile(folder.path("out")).commit("x");
  umask(mask);
  struct stat status {};
  ASSERT_EQ(stat(folder.path("out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST(OutputFile, RefusesPlacesThatCannotBeWritten) {
  TemporaryFolder folder;
  EXPECT_THROW(compiler::OutputFile(folder.path("absent/out")), compiler::Failure);
  EXPECT_THROW(compiler::OutputFile(folder.path("")), compiler::Failure);
  EXPECT_THROW(compiler::requireWritable("/dev/null"), compiler::Failure);
}

TEST(OutputFile, WritesDevicesInPlace) {
  compiler::OutputFile("/dev/null").commit("x");
  struct stat status {};
  ASSERT_EQ(stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
  EXPECT_THROW(compiler::OutputFile("/dev/full").commit("x"), compiler::Failure);
}

} // namespace
