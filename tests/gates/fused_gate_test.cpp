// A gated projection of 2048 -> 6144 over Q(32) in one kernel, before the gate: the sums of both weights stay
// in registers, on either family of GPU kernels. And kernels of whole programs: their gradients, their
// experts, and maps that overlap with products.
#include "compiler/pipeline/gpu_pipeline.h"
#include "compiler/pipeline/program_plan.h"
#include "compiler/schedule/targets.h"
#include "tests/gates/gate.h"
#include "tests/gates/with_assembler.h"
#include "tests/simulator/kernels/exact_case.h"
#include "tests/simulator/kernels/fused_case.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace simulator_test;

namespace {

struct Case {
  const char *name, *schedule, *target;
  bool swiglu = true; // else two results and operands of all kinds
};

void PrintTo(const Case &which, std::ostream *stream) { *stream << which.name; }

using FusedGate = gates::WithAssembler<testing::TestWithParam<Case>>;
using ChosenGate = gates::WithAssembler<testing::Test>;

/// A feed-forward network over Q(32).
compiler::Spec network(int64_t hidden, int64_t features = 2048) {
  constexpr int64_t types = 32;
  compiler::Spec spec;
  spec.source_name = "network";
  spec.program = compiler::Swiglu{.lift = compiler::requireLayer(projection("Q(32)", features, hidden)).lift,
                                  .in = algebras::Groups::equal(types, features / types),
                                  .hidden = algebras::Groups::equal(types, hidden / types),
                                  .out = algebras::Groups::equal(types, features / types),
                                  .row_types = algebras::RowTypes::cyclic(types)};
  return spec;
}

TEST_P(FusedGate, Passes) {
  FusedKernel fused = {projection("Q(32)", 2048, 6144), GetParam().schedule, GetParam().target};
  fused.swiglu = GetParam().swiglu;
  EXPECT_THAT(gates::objections(gates::collectEvidence(emittedKernel(fused), fused.target)),
              testing::IsEmpty());
}

// By the schedules that the compiler chooses, for a few rows and for many.
TEST_F(ChosenGate, PassesOnBothTargets) {
  const std::string function = R"mlir(
!x = !alg.slots<?x2048xbf16, rows(cyclic 32), cols(32 x 64)>
!w = !alg.slots<2048x6144xbf16, rows(32 x 64), cols(32 x 192)>
!sums = !alg.slots<?x6144xf32, rows(cyclic 32), cols(32 x 192)>
!h = !alg.slots<?x6144xbf16, rows(cyclic 32), cols(32 x 192)>
func.func @gated(%x: tensor<?x2048xbf16>, %gate: tensor<2048x6144xbf16>, %up: tensor<2048x6144xbf16>, %p0: index)
    -> tensor<?x6144xbf16> {
  %one = arith.constant 1.0 : f32
  %xs = alg.slots %x rows(cyclic 32, %p0) cols(32 x 64) : tensor<?x2048xbf16>
  %gates = alg.slots %gate rows(32 x 64) cols(32 x 192) : tensor<2048x6144xbf16>
  %ups = alg.slots %up rows(32 x 64) cols(32 x 192) : tensor<2048x6144xbf16>
  %g = alg.contract %xs, %gates by #alg.algebra<"Q(32)"> -> k : !x, !w into f32
  %u = alg.contract %xs, %ups by #alg.algebra<"Q(32)"> -> k : !x, !w into f32
  %hs = alg.map %g, %u : (!sums, !sums) -> !h {
  ^bb0(%a: f32, %b: f32):
    %negative = arith.negf %a : f32
    %power = math.exp %negative : f32
    %sum = arith.addf %power, %one : f32
    %silu = arith.divf %a, %sum : f32
    %product = arith.mulf %silu, %b : f32
    %rounded = arith.truncf %product : f32 to bf16
    alg.yield %rounded : bf16
  }
  %y = alg.gather %hs : !h
  return %y : tensor<?x6144xbf16>
}
)mlir";
  for (const char *target : {"sm_90a", "sm_80"})
    for (const int64_t rows : {32, 2048})
      EXPECT_THAT(gates::objections(gates::collectEvidence(chosenKernel(function, target, rows), target)),
                  testing::IsEmpty())
          << target << ", " << rows << " rows";
  // Of 64 experts, with one row each and with 32.
  for (const char *target : {"sm_90a", "sm_80"})
    for (const int64_t rows : {64, 2048})
      EXPECT_THAT(
          gates::objections(gates::collectEvidence(chosenKernel(function, target, rows, "", 64), target)),
          testing::IsEmpty())
          << target << ", " << rows << " rows of experts";
}

// Three maps of the sums of one product, which read nothing else: all their results wait for each other.
TEST_F(ChosenGate, PassesOfThreeResults) {
  std::string function = R"mlir(
!x = !alg.slots<?x1024xbf16, rows(cyclic 4), cols(4 x 256)>
!w = !alg.slots<1024x1024xbf16, rows(4 x 256), cols(4 x 256)>
!sums = !alg.slots<?x1024xf32, rows(cyclic 4), cols(4 x 256)>
func.func @three(%x: tensor<?x1024xbf16>, %w: tensor<1024x1024xbf16>, %p0: index)
    -> (tensor<?x1024xbf16>, tensor<?x1024xbf16>, tensor<?x1024xbf16>) {
  %xs = alg.slots %x rows(cyclic 4, %p0) cols(4 x 256) : tensor<?x1024xbf16>
  %ws = alg.slots %w rows(4 x 256) cols(4 x 256) : tensor<1024x1024xbf16>
  %s = alg.contract %xs, %ws by #alg.algebra<"Q(4)"> -> k : !x, !w into f32
)mlir";
  for (const auto &[name, operation] : {std::pair{"a", "mulf"}, {"b", "addf"}, {"c", "subf"}})
    function += fmt::format(R"mlir(
  %{0}s = alg.map %s : (!sums) -> !x {{
  ^bb0(%f: f32):
    %power = math.exp %f : f32
    %other = arith.{1} %power, %f : f32
    %rounded = arith.truncf %other : f32 to bf16
    alg.yield %rounded : bf16
  }}
  %{0} = alg.gather %{0}s : !x
)mlir",
                            name, operation);
  function += "  return %a, %b, %c : tensor<?x1024xbf16>, tensor<?x1024xbf16>, tensor<?x1024xbf16>\n}\n";
  for (const char *target : {"sm_90a", "sm_80"})
    EXPECT_THAT(gates::objections(gates::collectEvidence(chosenKernel(function, target, 8192), target)),
                testing::IsEmpty())
        << target;
}

// Gradients of a network: kernels with several results, of which maps read elements.
TEST_F(ChosenGate, PassesOfGradients) {
  for (const char *target : {"sm_90a", "sm_80"})
    for (const compiler::Keeping keeping : {compiler::Keeping::Never, compiler::Keeping::Always}) {
      const compiler::Spec spec = network(6144);
      compiler::CompileOptions options;
      options.targets = {compiler::targetNamed(target)};
      options.program_maps = {.forward = false, .backward = true, .keeping = keeping};
      const compiler::ProgramPlan plan = compiler::planProgram(spec, options);
      bool several = false;
      for (const compiler::KernelSource &source : plan.kernels) {
        if (source.layer.fused.results == 1)
          continue;
        several = true;
        options.output = source.results.front();
        const compiler::GpuProgram made = compiler::gpuProgram(source, options.targets.front(), options);
        EXPECT_THAT(gates::objections(gates::collectEvidence(made.nvvm, target)), testing::IsEmpty())
            << target << ", " << made.kernel.gpu->schedule;
      }
      EXPECT_TRUE(several);
    }
}

// Activations whose maps are longer than that of SiLU, with biases, and their slopes, in gradients of three
// results: in one kernel where the target has one, and in steps.
TEST_F(ChosenGate, PassesOfLongActivations) {
  for (const compiler::Activation activation : {compiler::Activation::Gelu, compiler::Activation::GeluTanh})
    for (const auto &[target, fusing] : {std::pair{"sm_90a", compiler::Fusing::Layers},
                                         {"sm_90a", compiler::Fusing::Products},
                                         {"sm_80", compiler::Fusing::Products}}) {
      compiler::Spec spec = network(2048, 7168);
      auto &swiglu = std::get<compiler::Swiglu>(*spec.program);
      swiglu.activation = activation;
      swiglu.bias = true;
      compiler::CompileOptions options;
      options.targets = {compiler::targetNamed(target)};
      options.fusing = fusing;
      options.program_maps = {.forward = true,
                              .backward = fusing == compiler::Fusing::Products,
                              .keeping = compiler::Keeping::Never};
      const compiler::ProgramPlan plan = compiler::planProgram(spec, options);
      for (const compiler::KernelSource &source : plan.kernels) {
        if (source.layer.fused.map_operations == 0)
          continue;
        options.output = source.results.front();
        const compiler::GpuProgram made = compiler::gpuProgram(source, options.targets.front(), options);
        EXPECT_THAT(gates::objections(gates::collectEvidence(made.nvvm, target)), testing::IsEmpty())
            << target << ", " << source.projection << ", " << made.kernel.gpu->schedule;
      }
    }
}

// Experts with many rows, which a list has; as many sums as the compiler chooses for the published shapes.
TEST_F(ChosenGate, PassesWithRowsOfExpertsInLists) {
  for (const char *target : {"sm_90a", "sm_80"})
    for (const int64_t rows : {256, 1024}) {
      const compiler::Spec spec = network(768);
      compiler::CompileOptions options;
      options.targets = {compiler::targetNamed(target)};
      options.rows = 64 * rows;
      options.experts = 64;
      const compiler::ProgramPlan plan = compiler::planProgram(spec, options);
      ASSERT_EQ(plan.kernels.size(), 2U);
      for (const compiler::KernelSource &source : plan.kernels) {
        options.output = source.results.front();
        const compiler::GpuProgram made = compiler::gpuProgram(source, options.targets.front(), options);
        EXPECT_TRUE(made.kernel.gpu->listed && made.kernel.gpu->takesExperts());
        EXPECT_THAT(gates::objections(gates::collectEvidence(made.nvvm, target)), testing::IsEmpty())
            << target << ", " << rows << " rows of each, " << made.kernel.gpu->schedule;
      }
    }
}

/// The most instructions of a name that stand between a wait that leaves a group of products in flight and
/// the next wait.
int64_t mostBesideProducts(std::string_view sass, std::string_view instruction) {
  constexpr std::string_view wait = "WARPGROUP.DEPBAR.LE gsb0, ";
  int64_t most = 0;
  for (size_t at = sass.find(wait); at != std::string_view::npos;) {
    const size_t next = sass.find(wait, at + wait.size());
    if (sass.substr(at + wait.size(), 3) == "0x1" && next != std::string_view::npos)
      most = std::max(most, gates::countInSass(sass.substr(at, next - at), instruction));
    at = next;
  }
  return most;
}

// Maps that are to overlap with the second layer's products do so in machine code, where ptxas would rather
// wait first: beside these products stand the exponentials and the reciprocals of all 64 x 64 hidden numbers.
TEST_F(ChosenGate, MapsOverlapWithProducts) {
  for (const auto &[features, hidden] : {std::pair<int64_t, int64_t>{2560, 9728}, {4096, 12288}}) {
    const compiler::Spec spec = network(hidden, features);
    for (const int64_t overlap : {0, 1}) {
      compiler::CompileOptions options;
      options.targets = {compiler::targetNamed("sm_90a")};
      options.schedule =
          fmt::format("rows=64,hidden=64,depth={},stages=4x4,stationary=8,row_stages=1,overlap={}",
                      features == 2560 ? 80 : 64, overlap);
      const compiler::ProgramPlan plan = compiler::planProgram(spec, options);
      ASSERT_EQ(plan.kernels.size(), 1u);
      const compiler::GpuProgram made =
          compiler::gpuProgram(plan.kernels.front(), options.targets.front(), options);
      const gates::Evidence evidence = gates::collectEvidence(made.nvvm, "sm_90a");
      EXPECT_THAT(gates::objections(evidence), testing::IsEmpty());
      EXPECT_EQ(mostBesideProducts(evidence.sass, "MUFU"), overlap ? 2 * 64 * 64 / 128 : 0)
          << features << ", overlap=" << overlap;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, FusedGate,
    testing::Values(
        Case{"EngineNarrow", "rows=64,columns=96,depth=64,stages=4", "sm_90a"},
        Case{"EngineTall", "rows=128,columns=96,depth=64,stages=4", "sm_90a"},
        // The sums of both products fill what is dealt out to the warpgroups that multiply.
        Case{"EngineWide", "rows=128,columns=192,depth=32,stages=3", "sm_90a"},
        Case{"EngineWidest", "rows=192,columns=112,depth=32,stages=3", "sm_90a"},
        Case{"EngineTransposed", "rows=64,columns=192,depth=64,stages=3,rows_on=n", "sm_90a"},
        Case{"EngineOperands", "rows=64,columns=96,depth=64,stages=3", "sm_90a", false},
        Case{"EngineOperandsInTurn", "rows=64,columns=96,depth=64,stages=3,ping_pong=2", "sm_90a", false},
        Case{"ReductionOfOneRow", "reduce=16,rows=1,columns=128", "sm_90a"},
        Case{"ReductionOfFourRows", "reduce=16,rows=4,columns=128", "sm_80"},
        Case{"Threads", "rows=64,columns=64,depth=32,stages=3,warps=2x2,vector=8", "sm_80"},
        Case{"ThreadsOperands", "rows=64,columns=64,depth=32,stages=3,warps=2x2,vector=8", "sm_80", false}),
    [](const auto &info) { return info.param.name; });

} // namespace
