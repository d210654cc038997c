// Part of every GoogleTest program: testing::TempDir() becomes a folder of this process alone. ctest runs
// each test in a process of its own, several at a time, and tests of one program use the same file names.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

class OwnTemporaryFolder : public testing::Environment {
public:
  void SetUp() override {
    std::string name = testing::TempDir() + "algctl-test-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr) << "no temporary folder can be made at " << name;
    ASSERT_EQ(setenv("TEST_TMPDIR", name.c_str(), 1), 0);
    folder_ = name;
    ASSERT_EQ(std::filesystem::path(testing::TempDir()), folder_ / "")
        << "GoogleTest does not heed TEST_TMPDIR";
  }
  void TearDown() override {
    std::error_code ignored; // what is left lies in the system's temporary folder
    std::filesystem::remove_all(folder_, ignored);
  }

private:
  std::filesystem::path folder_;
};

const testing::Environment *const own_temporary_folder =
    testing::AddGlobalTestEnvironment(new OwnTemporaryFolder);

} // namespace
