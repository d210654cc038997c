// Kernels of several products of the same rows on the model of the SM: two weights and three, maps that read
// columns, rows, elements and a number, one result and two, on both families of GPU kernels.
#include "compiler/simulator/kernel_module.h"
#include "tests/simulator/kernels/exact_case.h"
#include "tests/simulator/kernels/fused_case.h"
#include "tests/simulator/kernels/random_layers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace simulator_test;

namespace {

constexpr auto bf16 = algrt::ElementType::Bf16, f32 = algrt::ElementType::F32;
const std::string quaternions = ALGCTL_SOURCE_DIR "/tests/simulator/kernels/Inputs/quaternions.json";

struct Case {
  std::string name, algebra;
  int64_t in, out;
  std::string row_types, schedule, target = "sm_90a";
  int64_t weights = 2;
  bool two_results = true, rows_read = true;
  algrt::ElementType first = bf16, second = f32;
  algrt::Map map = algrt::Map::Forward;
  std::string lift = "rows";
};

void PrintTo(const Case &which, std::ostream *stream) { *stream << which.name; }

FusedKernel kernelOf(const Case &which) {
  return {projection(which.algebra, which.in, which.out, which.row_types, which.lift),
          which.schedule,
          which.target,
          which.weights,
          which.two_results,
          which.rows_read,
          which.first,
          which.second,
          which.map};
}

const std::vector<Case> &threadCases() {
  static const std::vector<Case> all = {
      {"Two", "Q(3)", 96, 144, "cyclic", "rows=32,columns=48,depth=32,stages=2,warps=2x1,vector=8", "sm_80"},
      {"Plain", "Q(3)", 96, 144, "cyclic", "rows=32,columns=48,depth=32,stages=2,warps=2x1,vector=8", "sm_80",
       2, false, false},
      {"Three", "Q(2)", 64, 80, "interval(20)", "rows=32,columns=32,depth=32,stages=3,warps=1x2,vector=4",
       "sm_80", 3, true, true, f32, bf16},
      {"One", "Q(3)", 96, 144, "cyclic", "rows=64,columns=64,depth=32,stages=2,warps=2x2,vector=8", "sm_80",
       1},
      {"Odd", "Q(3)", 15, 21, "interval(4)", "rows=16,columns=16,depth=16,stages=2,warps=1x2,vector=1",
       "sm_80"},
      {"Explicit", "Q(3)", 96, 96, "explicit", "rows=32,columns=32,depth=32,stages=2,warps=2x1,vector=8",
       "sm_80"},
      {"Table", "T(3)", 96, 96, "explicit", "rows=32,columns=32,depth=32,stages=2,warps=2x1,vector=8",
       "sm_80", 3, false},
      {"OneStep", "Q(1)", 32, 64, "cyclic", "rows=32,columns=32,depth=32,stages=2,warps=2x1,vector=8",
       "sm_80"},
      {"Gradient", "Q(3)", 96, 144, "cyclic", "rows=32,columns=32,depth=32,stages=2,warps=2x1,vector=8",
       "sm_80", 2, true, true, f32, f32, algrt::Map::Dx},
      {"Slots", quaternions, 128, 128, "cyclic", "rows=32,columns=32,depth=32,stages=2,warps=2x1,vector=8",
       "sm_80", 2, true, true, bf16, bf16, algrt::Map::Forward, "slots"},
  };
  return all;
}

const std::vector<Case> &engineCases() {
  static const std::vector<Case> all = {
      {"Two", "Q(3)", 192, 288, "cyclic", "rows=128,columns=96,depth=32,stages=3"},
      {"Plain", "Q(3)", 192, 288, "cyclic", "rows=128,columns=96,depth=32,stages=3", "sm_90a", 2, false,
       false},
      {"Three", "Q(3)", 96, 120, "interval(20)", "rows=64,columns=48,depth=32,stages=2", "sm_90a", 3, true,
       true, f32, bf16},
      {"One", "Q(3)", 96, 120, "interval(20)", "rows=64,columns=48,depth=32,stages=2", "sm_90a", 1},
      {"Shallow", "Q(2)", 160, 96, "cyclic", "rows=64,columns=48,depth=64,stages=2"},
      {"OneStep", "Q(1)", 64, 96, "cyclic", "rows=64,columns=32,depth=64,stages=2"},
      {"Turns", "Q(3)", 192, 192, "cyclic", "rows=64,columns=32,depth=32,stages=3,ping_pong=2"},
      {"OneStepTurns", "Q(1)", 64, 96, "cyclic", "rows=64,columns=32,depth=64,stages=2,ping_pong=2"},
      {"Clusters", "Q(2)", 96, 144, "cyclic", "rows=64,columns=48,depth=32,stages=2,cluster=2x2"},
      {"Transposed", "Q(2)", 128, 176, "cyclic", "rows=24,columns=128,depth=32,stages=2,rows_on=n", "sm_90a",
       2, false},
      {"TransposedWide", "Q(2)", 128, 176, "cyclic", "rows=16,columns=64,depth=32,stages=2,rows_on=n",
       "sm_90a", 3, false, true, f32},
      {"SplitOne", "T(3)", 96, 120, "cyclic", "rows=64,columns=32,depth=32,stages=2,split_k=2", "sm_90a", 1},
      {"Gradient", "Q(3)", 192, 192, "cyclic", "rows=64,columns=64,depth=32,stages=2", "sm_90a", 2, true,
       true, bf16, f32, algrt::Map::Dx},
      {"Slots", quaternions, 128, 128, "cyclic", "rows=64,columns=32,depth=32,stages=2", "sm_90a", 2, true,
       true, bf16, bf16, algrt::Map::Forward, "slots"},
  };
  return all;
}

void expectExact(const Case &which) {
  const FusedKernel fused = kernelOf(which);
  const auto kernel = compiler::SimulatedKernel::parse(emittedKernel(fused), which.name);
  for (const int64_t m : {1, 67, 150})
    for (uint64_t seed : {1u, 2u, 3u}) {
      const FusedCase product(fused, m, static_cast<int64_t>(seed) * 5, seed);
      compiler::SimulationSettings settings = settingsOf(seed, static_cast<int32_t>(1 + 3 * seed));
      settings.further_padding = static_cast<int64_t>(seed % 3);
      settings.further_shift = static_cast<int64_t>(seed % 2);
      EXPECT_EQ(product.run(kernel, settings).text, "") << m << " rows, seed " << seed;
    }
}

class FusedThreads : public testing::TestWithParam<Case> {};
TEST_P(FusedThreads, IsExactForEverySeed) { expectExact(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Kernels, FusedThreads, testing::ValuesIn(threadCases()),
                         [](const auto &info) { return info.param.name; });

class FusedEngine : public testing::TestWithParam<Case> {};
TEST_P(FusedEngine, IsExactForEverySeed) { expectExact(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Kernels, FusedEngine, testing::ValuesIn(engineCases()),
                         [](const auto &info) { return info.param.name; });

// One row, and two to `most` + 1 of them, on several grids, with operands at a distance.
void expectExactBatches(Draw &draw, const FusedKernel &fused, const std::string &layer, int trial,
                        int64_t most) {
  const auto kernel = compiler::SimulatedKernel::parse(emittedKernel(fused), layer);
  const bool has_positions = fusedLayer(fused).row_types != algrt::RowTypesKind::ExplicitTypes;
  for (const int64_t m : {int64_t{1}, 2 + draw.below(most)}) {
    const auto seed = static_cast<uint64_t>(trial * 1000 + m);
    const FusedCase product(fused, m, has_positions ? draw.below(1000) : 0, seed);
    compiler::SimulationSettings settings = settingsOf(seed, static_cast<int32_t>(1 + draw.below(5)));
    settings.further_padding = draw.below(3);
    settings.further_shift = draw.below(2);
    EXPECT_EQ(product.run(kernel, settings).text, "") << fmt::format(
        "{}, {}, {}, {} weights: {} rows", layer, fused.schedule, algrt::name(fused.map), fused.weights, m);
  }
}

// Every kind of layer: groups of equal widths and of unequal ones, rows where a list says, terms with signs
// and with other coefficients, as many weights and results as there are.
TEST(RandomFusedKernels, OfThreadsAreExact) {
  Draw draw(41);
  for (int trial = 0; trial < 24; ++trial) {
    Algebra algebra = draw.one(algebras_of_all_kinds);
    if (draw.below(6) == 0)
      algebra = {ALGCTL_SOURCE_DIR "/tests/simulator/kernels/Inputs/divided_powers.json", 5, 5, "slots"};
    const bool slots = algebra.lift == "slots", unequal = !slots && draw.below(2) == 0;
    const std::string row_types =
        slots ? "cyclic" : draw.one(std::vector<std::string>{"explicit", "cyclic", "interval(9)"});
    const int64_t step = int64_t{1} << draw.below(4);
    const auto widths = [&](int64_t count) {
      std::vector<int64_t> all;
      for (int64_t group = 0; group < count; ++group)
        all.push_back(unequal || group == 0 ? step * (1 + draw.below(64 / step)) : all.front());
      return all;
    };
    const std::vector<int64_t> in = widths(algebra.in), out = widths(algebra.out);
    FusedKernel fused = {
        slots ? projection(algebra.expression, algebra.in * in[0], algebra.out * out[0], row_types, "slots")
              : projection(algebra.expression, in, out, row_types),
        fmt::format("rows={},columns={},depth={},stages={},warps=1x2", 16 << draw.below(2),
                    16 * (1 + draw.below(2)), 16 << draw.below(2), 2 + draw.below(3)),
        "sm_80", 1 + draw.below(3)};
    fused.two_results = draw.below(2) == 0;
    fused.rows_read = draw.below(4) != 0;
    fused.first = draw.below(2) ? bf16 : f32;
    fused.second = draw.below(2) ? bf16 : f32;
    fused.map = draw.below(3) == 0 ? algrt::Map::Dx : algrt::Map::Forward;
    expectExactBatches(draw, fused, algebra.expression + ", " + row_types, trial, 100);
    if (testing::Test::HasFailure())
      return;
  }
}

// One result, from several products of up to four rows; widths that every vector divides.
TEST(RandomFusedKernels, OfVectorReductionsAreExact) {
  Draw draw(42);
  for (int trial = 0; trial < 16; ++trial) {
    const Algebra algebra = draw.one(algebras_of_all_kinds);
    const bool slots = algebra.lift == "slots";
    const std::string row_types = slots || draw.below(2) ? "cyclic" : "interval(9)";
    const int64_t vector = int64_t{1} << draw.below(4), lanes = int64_t{1} << draw.below(4);
    FusedKernel fused = {projection(algebra.expression, algebra.in * vector * (1 + draw.below(10)),
                                    algebra.out * vector * (1 + draw.below(10)), row_types, algebra.lift),
                         fmt::format("reduce={},rows={},columns={},vector={}", 64 / lanes << draw.below(2),
                                     1 + draw.below(4), lanes * vector, vector),
                         draw.below(2) ? "sm_80" : "sm_90a", 2 + draw.below(2)};
    fused.two_results = false;
    fused.rows_read = draw.below(4) != 0;
    fused.first = draw.below(2) ? bf16 : f32;
    expectExactBatches(draw, fused, algebra.expression + ", " + row_types, trial, 9);
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(RandomFusedKernels, OfTheEngineAreExact) {
  Draw draw(43);
  for (int trial = 0; trial < 16; ++trial) {
    const Algebra algebra = draw.one(algebras_of_all_kinds);
    const bool slots = algebra.lift == "slots";
    const std::string row_types = slots || draw.below(2) ? "cyclic" : "interval(9)";
    const bool rows_on_n = draw.below(4) == 0;
    FusedKernel fused = {projection(algebra.expression, algebra.in * 8 * (1 + draw.below(10)),
                                    algebra.out * 8 * (1 + draw.below(10)), row_types, algebra.lift),
                         fmt::format("rows={},columns={},depth={},stages={}{}",
                                     rows_on_n ? 8 * (1 + draw.below(6)) : 64 * (1 + draw.below(2)),
                                     rows_on_n ? 64 : 16 * (1 + draw.below(4)), 16 << draw.below(3),
                                     2 + draw.below(2),
                                     rows_on_n       ? ",rows_on=n"
                                     : draw.below(3) ? ""
                                                     : ",ping_pong=2"),
                         "sm_90a", 1 + draw.below(3)};
    fused.two_results = !rows_on_n && draw.below(2) == 0;
    fused.rows_read = draw.below(4) != 0;
    fused.first = draw.below(2) ? bf16 : f32;
    fused.second = draw.below(2) ? bf16 : f32;
    fused.map = draw.below(3) == 0 ? algrt::Map::Dx : algrt::Map::Forward;
    expectExactBatches(draw, fused, algebra.expression + ", " + row_types, trial, 200);
    if (testing::Test::HasFailure())
      return;
  }
}

// What a map reads of an operand that has rows, from the next place, is seen at every place: a few of them,
// from the first to the last.
TEST(FusedKernels, ReadTheirOwnElements) {
  using mlir::LLVM::LoadOp;
  for (const auto &[schedule, two_results] :
       {std::pair{"rows=32,columns=48,depth=32,stages=2,warps=2x1,vector=8", true},
        {"rows=16,columns=64,depth=32,stages=2,rows_on=n", false}}) {
    FusedKernel fused = {projection("Q(3)", 96, 144), schedule, "sm_90a"};
    fused.two_results = two_results;
    const std::string text = emittedKernel(fused);
    const auto places = [](mlir::ModuleOp module) {
      std::vector<LoadOp> loads;
      module.walk([&](LoadOp load) {
        if (!load.getInvariant() && load.getAddr().getDefiningOp<mlir::LLVM::SelectOp>())
          loads.push_back(load);
      });
      return loads;
    };
    compiler::KernelModule whole(text, "fused");
    const size_t count = places(whole.module()).size();
    ASSERT_GT(count, 10u) << schedule;
    const FusedCase product(fused, 150, 1, 3);
    for (size_t at = 0; at < count; at += (count - 1) / 7) {
      compiler::KernelModule spoilt(text, "fused");
      LoadOp load = places(spoilt.module())[at];
      mlir::OpBuilder build(load);
      const auto bytes = static_cast<int32_t>(load.getType().getIntOrFloatBitWidth() / 8);
      load.getAddrMutable().assign(mlir::LLVM::GEPOp::create(build, load.getLoc(), load.getAddr().getType(),
                                                             build.getI8Type(), load.getAddr(),
                                                             llvm::ArrayRef<mlir::LLVM::GEPArg>{bytes}));
      EXPECT_NE(product.run(compiler::SimulatedKernel(spoilt.module()), settingsOf(3, 4)).text, "")
          << schedule << ", load " << at << " of " << count;
    }
  }
}

// A gate's activation with an exponential in it.
TEST(FusedKernels, MultiplyByTheActivationOfTheGate) {
  for (const char *schedule :
       {"rows=64,columns=48,depth=32,stages=2", "rows=16,columns=64,depth=32,stages=2,rows_on=n",
        "rows=32,columns=48,depth=32,stages=2,warps=2x1,vector=8"}) {
    FusedKernel fused = {projection("Q(3)", 96, 144), schedule, "sm_90a"};
    fused.two_results = false;
    fused.swiglu = true;
    const auto kernel = compiler::SimulatedKernel::parse(emittedKernel(fused), "swiglu");
    const FusedCase product(fused, 100, 2, 7);
    EXPECT_EQ(product.run(kernel, settingsOf(1, 4)).text, "") << schedule;
  }
}

} // namespace
