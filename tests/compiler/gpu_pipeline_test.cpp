// The pipeline for sm_90a as a library: what the simulator and the bundle get.
#include "compiler/pipeline/gpu_pipeline.h"

#include "algebras/constructions.h"
#include "algebras/error.h"
#include "runtime/bundle/bundle.h"
#include "tests/tools/temporary_folder.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <stdexcept>

namespace compiler {
namespace {

Spec spec(algebras::DataType dtype = algebras::DataType::BF16) {
  const algebras::Algebra algebra = algebras::completeGraph(4);
  return {algebra, algebras::makeLayer(algebras::Lift::rows(algebra), 256, 384, dtype), false, "Q(4)"};
}

CompileOptions forGpu() {
  CompileOptions options;
  options.targets = {Target::Sm90a};
  return options;
}

TEST(GpuProgram, SaysOfItsKernelWhatTheScheduleSays) {
  CompileOptions options = forGpu();
  options.schedule = "rows=128,columns=96,depth=64,stages=3";
  const algrt::Kernel kernel = gpuProgram(spec(), Target::Sm90a, options).kernel;
  EXPECT_EQ(kernel.name, "forward_bf16");
  EXPECT_EQ(kernel.target, "sm_90a");
  ASSERT_TRUE(kernel.gpu);
  EXPECT_EQ(kernel.gpu->architecture, 90);
  EXPECT_TRUE(kernel.gpu->exact_architecture);
  EXPECT_EQ(kernel.gpu->output, algrt::ElementType::Bf16);
  EXPECT_EQ(kernel.gpu->threads, 3 * 128);
  EXPECT_EQ(kernel.gpu->tile.rows, 128);
  EXPECT_EQ(kernel.gpu->tile.columns, 96);
  EXPECT_EQ(kernel.gpu->tile.depth, 64);
  EXPECT_EQ(kernel.gpu->tile.stages, 3);
  EXPECT_EQ(kernel.gpu->tile.consumers, 2);
  EXPECT_EQ(kernel.gpu->x.rows, 128);
  EXPECT_EQ(kernel.gpu->x.columns, 64);
  EXPECT_EQ(kernel.gpu->x.swizzle, 128);
  EXPECT_FALSE(kernel.gpu->terms);
  // Stages of A and B, two slots for the results of 64 rows, two barriers for each stage.
  EXPECT_EQ(kernel.gpu->shared_bytes, 3 * (128 + 96) * 64 * 2 + 2 * 64 * 96 * 2 + 2 * 3 * 8);
}

TEST(GpuProgram, WritesEitherKindOfResult) {
  CompileOptions options = forGpu();
  options.output = algebras::DataType::F32;
  const GpuProgram program = gpuProgram(spec(), Target::Sm90a, options);
  EXPECT_EQ(program.kernel.name, "forward_f32");
  EXPECT_EQ(program.kernel.gpu->output, algrt::ElementType::F32);
  EXPECT_EQ(program.nvvm.find("nvvm.stmatrix"), std::string::npos);
}

TEST(GpuProgram, IsTheSameEveryTime) {
  EXPECT_EQ(gpuProgram(spec(), Target::Sm90a, forGpu()).nvvm,
            gpuProgram(spec(), Target::Sm90a, forGpu()).nvvm);
}

TEST(GpuProgram, RefusesWhatTheTargetCannotMultiply) {
  const Spec single = spec(algebras::DataType::F32);
  EXPECT_THROW(gpuProgram(single, Target::Sm90a, forGpu()), algebras::InputError);
  CompileOptions both = forGpu();
  both.targets = {Target::Cpu, Target::Sm90a};
  TemporaryFolder folder;
  try {
    compileBundle(single, folder.path("layer.alg"), both);
    FAIL() << "a layer in f32 was compiled for sm_90a";
  } catch (const algebras::InputError &error) {
    EXPECT_NE(std::string(error.what()).find("for sm_90a: "), std::string::npos) << error.what();
    EXPECT_FALSE(error.hint().empty());
  }
}

TEST(GpuStages, BelongToTheirTarget) {
  EXPECT_THROW(emitStage(spec(), Stage::Vector, forGpu()), std::invalid_argument);
  EXPECT_THROW(emitStage(spec(), Stage::Ptx, CompileOptions()), std::invalid_argument);
}

/// The variable names a program that is not there, so that none is found.
class NoAssembler {
public:
  NoAssembler() {
    if (const char *value = std::getenv(variable))
      before_ = value;
    setenv(variable, "/nowhere/ptxas", 1);
  }
  ~NoAssembler() {
    if (before_.empty())
      unsetenv(variable);
    else
      setenv(variable, before_.c_str(), 1);
  }

private:
  static constexpr const char *variable = "ALGCTL_PTXAS";
  std::string before_;
};

TEST(GpuBundle, HoldsPtxWhereThereIsNoAssemblerAndSaysSo) {
  const NoAssembler none;
  CompileOptions options = forGpu();
  std::vector<std::string> notes;
  options.note = [&](const std::string &note) { notes.push_back(note); };
  TemporaryFolder folder;
  compileBundle(spec(), folder.path("layer.alg"), options);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("/nowhere/ptxas"), std::string::npos) << notes[0];

  const algrt::Bundle bundle = algrt::Bundle::open(folder.path("layer.alg"));
  const std::vector<algrt::Kernel> &kernels = bundle.manifest().kernels;
  ASSERT_EQ(kernels.size(), 12u);
  for (const algrt::Kernel &kernel : kernels) {
    ASSERT_TRUE(kernel.gpu);
    ASSERT_EQ(kernel.gpu->images.size(), 1u);
    EXPECT_EQ(kernel.gpu->images[0].kind, algrt::ImageKind::Ptx);
    EXPECT_TRUE(bundle.manifest().findSection(kernel.gpu->images[0].section));
  }
  // Of each map and kind of results one by the copy engine and one for operands that it cannot address.
  for (const size_t first : {0, 2, 4, 6, 8, 10}) {
    const algrt::ElementType output = first % 4 == 0 ? algrt::ElementType::Bf16 : algrt::ElementType::F32;
    EXPECT_EQ(kernels[first].map, first < 4 ? "forward" : first < 8 ? "dx" : "dw");
    EXPECT_EQ(kernels[first + 1].map, kernels[first].map);
    EXPECT_EQ(kernels[first].gpu->output, output);
    EXPECT_EQ(kernels[first].gpu->copies, algrt::GpuCopies::Engine);
    EXPECT_EQ(kernels[first + 1].gpu->output, output);
    EXPECT_EQ(kernels[first + 1].gpu->copies, algrt::GpuCopies::Threads);
    EXPECT_EQ(kernels[first + 1].gpu->vector, 1);
  }
}

} // namespace
} // namespace compiler
