// Finding NVIDIA's assembler, running it, and reading its report.
#include "compiler/process/failure.h"
#include "compiler/targets/nvidia/assembler.h"
#include "tests/gates/with_assembler.h"
#include "tests/tools/temporary_folder.h"

#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>

namespace {

using compiler::AssemblerTool;
using compiler::AssemblyReport;
using testing::HasSubstr;

// Sets a variable of the environment for the length of a test.
class Variable {
public:
  Variable(const char *name, const std::string &value) : name_(name) {
    if (const char *before = std::getenv(name))
      saved_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { saved_ ? setenv(name_, saved_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;

private:
  const char *name_;
  std::optional<std::string> saved_;
};

// A machine that has nothing but what a test puts there.
class FindAssembler : public testing::Test {
protected:
  // A program that says it is ptxas of that version.
  std::string install(const std::string &folder, const std::string &version) {
    std::filesystem::create_directories(machine.path(folder));
    const std::string path = machine.write(
        folder + "/ptxas", "#!/bin/sh\necho 'Cuda compilation tools, release x, V" + version + "'\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  TemporaryFolder machine;
  Variable none{"ALGCTL_PTXAS", ""};
  Variable path{"PATH", machine.path("path-1") + ":" + machine.path("path-2")};
  Variable toolkit{"CUDA_HOME", machine.path("toolkit")};
  Variable cache{"XDG_CACHE_HOME", machine.path("cache")};
};

TEST_F(FindAssembler, TakesThePinnedOneThenPathThenToolkitThenWhateverIsInTheCache) {
  using Place = AssemblerTool::Place;
  const AssemblerTool nothing = compiler::findPtxas();
  EXPECT_FALSE(nothing.found());
  EXPECT_THAT(nothing.reason, HasSubstr("scripts/fetch-cuda-assembler"));
  EXPECT_THAT(nothing.reason, HasSubstr(machine.path("cache/algctl/cuda-assembler")));
  const std::string cached = "cache/algctl/cuda-assembler";
  for (const auto &[folder, place] : {std::pair(cached.c_str(), Place::Cache),
                                      {"toolkit/bin", Place::Toolkit},
                                      {"path-2", Place::Path},
                                      {"path-1", Place::Path}}) {
    const std::string expected = install(folder, "13.0.88");
    EXPECT_EQ(compiler::findPtxas().path, expected);
    EXPECT_EQ(compiler::findPtxas().version, "13.0.88");
    EXPECT_EQ(compiler::findPtxas().place, place);
  }
  std::filesystem::remove(machine.path(cached + "/ptxas"));
  const std::string pinned = install(cached, compiler::pinnedPtxasVersion());
  EXPECT_EQ(compiler::findPtxas().path, pinned);
  EXPECT_EQ(compiler::findPtxas().place, Place::Pinned);
}

TEST_F(FindAssembler, TakesNothingOutOfACacheThatOthersCanWrite) {
  const std::string folder = "cache/algctl/cuda-assembler";
  const std::string pinned = install(folder, compiler::pinnedPtxasVersion());
  for (const std::string &place : {machine.path(folder), pinned}) {
    std::filesystem::permissions(place, std::filesystem::perms::group_write,
                                 std::filesystem::perm_options::add);
    EXPECT_FALSE(compiler::findPtxas().found());
    EXPECT_THAT(compiler::findPtxas().reason, HasSubstr("can be written by its group"));
    std::filesystem::permissions(place, std::filesystem::perms::group_write,
                                 std::filesystem::perm_options::remove);
    EXPECT_EQ(compiler::findPtxas().path, pinned);
  }
}

TEST(AssemblerVersions, SayWhichDriversTakeTheirCode) {
  EXPECT_EQ(compiler::driversFor("12.9.86"), "CUDA 12.9");
  EXPECT_EQ(compiler::driversFor("13.0.88"), "CUDA 13.0");
  EXPECT_FALSE(compiler::needsNewerDriver(compiler::pinnedPtxasVersion()));
  EXPECT_FALSE(compiler::needsNewerDriver("12.0.140"));
  EXPECT_FALSE(compiler::needsNewerDriver("12.9.999"));
  EXPECT_TRUE(compiler::needsNewerDriver("12.10.1"));
  EXPECT_TRUE(compiler::needsNewerDriver("13.0.88"));
}

TEST_F(FindAssembler, TheVariableComesFirstAndIsNotPassedOver) {
  install("path-1", "12.9.86");
  const std::string own = install("own", "11.0.1");
  {
    Variable variable("ALGCTL_PTXAS", own);
    EXPECT_EQ(compiler::findPtxas().path, own);
  }
  Variable variable("ALGCTL_PTXAS", machine.path("nothing-here"));
  EXPECT_FALSE(compiler::findPtxas().found());
  EXPECT_THAT(compiler::findPtxas().reason, HasSubstr("ALGCTL_PTXAS is " + machine.path("nothing-here")));
  EXPECT_THROW(compiler::assemble("", "sm_90a"), compiler::AbsentError);
}

TEST_F(FindAssembler, PassesOverOldOnesAndWhatIsNoAssembler) {
  const std::string old = install("path-1", "11.8.89");
  EXPECT_THAT(compiler::findPtxas().reason, HasSubstr(old + " is version 11.8.89, which is too old"));
  const std::string other = install("path-2", "");
  EXPECT_THAT(compiler::findPtxas().reason, HasSubstr(other + " does not run"));
  const std::string good = install("toolkit/bin", "12.10.2");
  EXPECT_EQ(compiler::findPtxas().path, good);
  EXPECT_EQ(compiler::toolVersion(good), "12.10.2");
}

TEST(AssemblyReport, ReadsResourcesOfEveryKernel) {
  const AssemblyReport report = compiler::parseAssemblyLog(R"(ptxas info    : 16 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90a'
ptxas info    : Function properties for first
    160 bytes stack frame, 156 bytes spill stores, 152 bytes spill loads
ptxas info    : Used 24 registers, used 3 barriers, 160 bytes cumulative stack size, 4096 bytes smem, 8 bytes lmem
ptxas info    : Compile time = 23.464 ms
ptxas info    : Compiling entry function 'second' for 'sm_90a'
ptxas info    : Function properties for second
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 0 barriers
)");
  ASSERT_EQ(report.kernels.size(), 2u);
  const compiler::KernelResources &first = report.kernels[0], &second = report.kernels[1];
  EXPECT_EQ(first.name, "first");
  EXPECT_EQ(first.registers, 24);
  EXPECT_EQ(first.barriers, 3);
  EXPECT_EQ(first.stack_frame_bytes, 160);
  EXPECT_EQ(first.spill_store_bytes, 156);
  EXPECT_EQ(first.spill_load_bytes, 152);
  EXPECT_EQ(first.shared_bytes, 4096);
  EXPECT_EQ(first.local_bytes, 8);
  EXPECT_EQ(second.name, "second");
  EXPECT_EQ(second.registers, 168);
  EXPECT_EQ(second.stack_frame_bytes, 0);
  EXPECT_TRUE(report.warnings.empty());
}

TEST(AssemblyReport, KeepsWhateverIsNoResource) {
  const AssemblyReport report =
      compiler::parseAssemblyLog("ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored "
                                 "to maintain minimum register requirements.\n"
                                 "ptxas k.ptx, line 7; warning : Unresolved extern variable\n");
  EXPECT_EQ(report.warnings.size(), 2u);
}

TEST(AssemblyReport, RefusesNumbersThatItCannotRead) {
  EXPECT_THROW(
      compiler::parseAssemblyLog("    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"),
      compiler::Failure); // of no kernel
  EXPECT_THROW(
      compiler::parseAssemblyLog("ptxas info : Function properties for k\n    no bytes stack frame\n"),
      compiler::Failure);
  EXPECT_THROW(compiler::parseAssemblyLog(
                   "ptxas info : Function properties for k\nptxas info : Used some registers\n"),
               compiler::Failure);
}

// A kernel that keeps an array in local memory, and one that does not.
std::string kernel(bool local) {
  const char *array = R"(
  mov.u64 %rd2, room;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd2, %rd2, %rd3;
  st.local.u32 [room+8], %r1;
  ld.local.u32 %r1, [%rd2];)";
  return std::string(
             ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out) {\n") +
         (local ? "  .local .align 4 .b8 room[256];\n" : "") +
         "  .reg .u64 %rd<4>;\n  .reg .u32 %r<2>;\n  ld.param.u64 %rd1, [out];\n  mov.u32 %r1, %tid.x;" +
         (local ? array : "") + "\n  st.global.u32 [%rd1], %r1;\n  ret;\n}\n";
}

using Assemble = gates::WithAssembler<testing::Test>;

TEST_F(Assemble, MakesMachineCodeThatDisassembles) {
  const compiler::Assembly assembly = compiler::assemble(kernel(false), "sm_90a");
  EXPECT_TRUE(assembly.cubin.starts_with("\177ELF"));
  ASSERT_EQ(assembly.report.kernels.size(), 1u) << assembly.log;
  EXPECT_EQ(assembly.report.kernels[0].name, "k");
  EXPECT_GT(assembly.report.kernels[0].registers, 0);
  EXPECT_EQ(assembly.report.kernels[0].stack_frame_bytes, 0);
  const std::string sass = compiler::disassemble(assembly.cubin);
  EXPECT_THAT(sass, HasSubstr("STG.E"));
  EXPECT_THAT(sass, testing::Not(HasSubstr("STL")));
}

TEST_F(Assemble, ReportsLocalMemory) {
  const compiler::Assembly assembly = compiler::assemble(kernel(true), "sm_90a");
  ASSERT_EQ(assembly.report.kernels.size(), 1u) << assembly.log;
  EXPECT_EQ(assembly.report.kernels[0].stack_frame_bytes, 256);
  EXPECT_THAT(compiler::disassemble(assembly.cubin), HasSubstr("STL"));
}

TEST_F(Assemble, SaysWhatIsWrongWithAProgram) {
  try {
    compiler::assemble(".version 8.3\n.target sm_90a\n.address_size 64\nnonsense\n", "sm_90a");
    FAIL() << "no failure";
  } catch (const compiler::Failure &failure) {
    EXPECT_THAT(failure.what(), HasSubstr("line 4"));
  }
  EXPECT_THROW(compiler::disassemble("no cubin"), compiler::Failure);
}

} // namespace
