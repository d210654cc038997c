// The kernels of the gradient of the weight matrix, dW = X^T dY, on the model. Each is exact, under an
// interleaving of its own, alone and added to what dW holds; without that what dW holds may not be read.
#include "algebras/coarsest.h"
#include "compiler/bundle/layer_description.h"
#include "compiler/schedule/staged.h"
#include "compiler/simulator/agreement.h"
#include "runtime/reference/random.h"
#include "tests/simulator/kernels/exact_case.h"
#include "tests/simulator/kernels/random_layers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <ostream>

using namespace simulator_test;

namespace {

constexpr auto bf16 = algrt::ElementType::Bf16, f32 = algrt::ElementType::F32;
constexpr auto dw = algrt::Map::Dw;

struct Kernel {
  std::string name, algebra;
  int64_t in, out;
  std::string schedule; // chosen by cost where it is empty
  algrt::ElementType output;
  std::string row_types = "cyclic", lift = "rows", target = "sm_80";
};

void PrintTo(const Kernel &kernel, std::ostream *stream) {
  *stream << fmt::format("{}, {} to {}, {}, on {}", kernel.algebra, kernel.in, kernel.out,
                         kernel.schedule.empty() ? "chosen schedule" : kernel.schedule, kernel.target);
}

std::string table(const char *name) {
  return fmt::format("{}/tests/simulator/kernels/Inputs/{}.json", ALGCTL_SOURCE_DIR, name);
}

const std::vector<Kernel> &kernels() {
  static const std::vector<Kernel> all = {
      // complete graphs: one type, tiles wider and narrower than blocks, every depth, vector and arrangement
      {"Q1", "Q(1)", 48, 64, "rows=32,columns=32,depth=32,stages=3,warps=2x2", bf16},
      {"Q3", "Q(3)", 96, 144, "rows=32,columns=32,depth=16,stages=3,warps=2x1,longest_first=1", bf16},
      {"Q3Whole", "Q(3)", 96, 96, "rows=32,columns=32,depth=64,stages=2,warps=1x2", f32},
      {"Q2By20", "Q(2)", 40, 88, "rows=16,columns=48,depth=16,stages=4,warps=1x2", bf16},
      {"Q7By5", "Q(7)", 35, 49, "rows=16,columns=16,depth=16,stages=2,warps=1x2,longest_first=1", f32},
      {"Q3Unaligned", "Q(3)", 96, 96,
       "rows=32,columns=32,depth=32,stages=3,warps=2x2,vector=1,longest_first=1", bf16},
      {"Q2Pairs", "Q(2)", 44, 36, "rows=32,columns=32,depth=32,stages=3,warps=2x2,vector=2,longest_first=1",
       bf16},
      {"Q2Wide", "Q(2)", 64, 256, "rows=64,columns=128,depth=32,stages=2,warps=2x4,longest_first=1", f32},
      {"Q2SixteenWarps", "Q(2)", 256, 64, "rows=128,columns=32,depth=32,stages=2,warps=8x2", bf16},
      {"Q2SevenTiles", "Q(2)", 48, 240, "rows=16,columns=112,depth=16,stages=2,warps=1x2,longest_first=1",
       bf16},
      {"Q2SevenTilesFloat", "Q(2)", 48, 240,
       "rows=16,columns=112,depth=16,stages=2,warps=1x2,longest_first=1", f32},
      {"Q4AllLong", "Q(4)", 64, 64, "rows=16,columns=16,depth=16,stages=3,warps=1x1,longest_first=4", f32},
      {"Q12Chosen", "Q(12)", 120, 240, "", bf16},
      {"Q4ChosenOnHopper", "Q(4)", 128, 192, "", f32, "cyclic", "rows", "sm_90a"},
      {"WithMatrices", "Q(3)*M(2)", 96, 96, "rows=32,columns=32,depth=32,stages=3,warps=2x2,longest_first=1",
       bf16},
      // runs of rows, longer and shorter than a step
      {"Interval", "Q(3)", 60, 60, "rows=32,columns=32,depth=16,stages=3,warps=1x2,longest_first=1", bf16,
       "interval(20)"},
      {"ShortInterval", "Q(3)", 60, 60, "rows=32,columns=32,depth=32,stages=3,warps=1x2", f32, "interval(3)"},
      {"PowerInterval", "Q(2)^2", 64, 64, "rows=16,columns=16,depth=32,stages=3,warps=1x1,longest_first=1",
       bf16, "interval(48)"},
      // terms from a table; blocks that no term names are written as zero
      {"Power", "Q(2)^2", 64, 96, "rows=16,columns=32,depth=16,stages=3,warps=1x2,longest_first=1", f32},
      {"Path", "path(3)", 36, 60, "rows=32,columns=16,depth=16,stages=2,warps=2x1", bf16},
      {"PathLong", "path(3)", 36, 60, "rows=16,columns=32,depth=32,stages=2,warps=1x1,longest_first=2", f32},
      {"Triangular", "T(4)", 64, 64, "rows=16,columns=16,depth=16,stages=3,warps=1x1,longest_first=1", f32},
      {"Tensor", "Q(3)*T(2)", 96, 96, "rows=16,columns=16,depth=32,stages=3,warps=1x1,longest_first=1", bf16},
      // slots, with signs and with other coefficients
      {"Matrices", "M(2)", 64, 80, "rows=16,columns=32,depth=16,stages=3,warps=1x2", bf16, "cyclic", "slots"},
      {"Quaternions", table("quaternions"), 64, 80, "rows=16,columns=32,depth=64,stages=3,warps=1x2", f32,
       "cyclic", "slots"},
      {"DividedPowers", table("divided_powers"), 60, 100, "rows=16,columns=16,depth=16,stages=3,warps=1x1",
       f32, "cyclic", "slots"},
      // The copy engine brings X and dY, warpgroups multiply, threads write: one and several warpgroups,
      // turns, blocks that share rows of either operand or divide a tile, narrow panels.
      {"EngineQ1", "Q(1)", 64, 64, "rows=64,columns=64,depth=64,stages=3", bf16, "cyclic", "rows", "sm_90a"},
      {"EngineQ3", "Q(3)", 216, 264, "rows=64,columns=64,depth=32,stages=3,longest_first=1", bf16, "cyclic",
       "rows", "sm_90a"},
      {"EngineTall", "Q(2)", 272, 80, "rows=128,columns=48,depth=64,stages=2,longest_first=1", f32, "cyclic",
       "rows", "sm_90a"},
      {"EngineTurns", "Q(3)", 216, 144, "rows=64,columns=32,depth=16,stages=4,ping_pong=2,longest_first=1",
       bf16, "cyclic", "rows", "sm_90a"},
      {"EngineTurnsUnordered", "Q(2)", 96, 96, "rows=64,columns=48,depth=32,stages=3,ping_pong=2", f32,
       "cyclic", "rows", "sm_90a"},
      {"EngineTallTurns", "Q(2)", 288, 96,
       "rows=128,columns=48,depth=32,stages=3,ping_pong=2,longest_first=1", bf16, "cyclic", "rows", "sm_90a"},
      {"EngineSplitLong", "Q(3)", 216, 240, "rows=64,columns=64,depth=32,stages=3,split_k=2,longest_first=1",
       bf16, "cyclic", "rows", "sm_90a"},
      {"EngineSplitAll", "Q(2)", 96, 128, "rows=64,columns=64,depth=16,stages=3,split_k=4", f32, "cyclic",
       "rows", "sm_90a"},
      {"EngineClusterOfFeatures", "Q(2)", 288, 80,
       "rows=64,columns=48,depth=32,stages=3,cluster=2x1,longest_first=1", bf16, "cyclic", "rows", "sm_90a"},
      {"EngineClusterOfColumns", "Q(2)", 96, 272,
       "rows=64,columns=64,depth=16,stages=3,cluster=1x2,ping_pong=2", f32, "cyclic", "rows", "sm_90a"},
      {"EngineSquareCluster", "Q(2)", 288, 272,
       "rows=64,columns=64,depth=32,stages=3,cluster=2x2,longest_first=1", bf16, "cyclic", "rows", "sm_90a"},
      {"EngineInterval", "Q(3)", 216, 144, "rows=64,columns=48,depth=16,stages=3,longest_first=1", bf16,
       "interval(20)", "rows", "sm_90a"},
      {"EngineShortInterval", "Q(3)", 96, 96,
       "rows=64,columns=32,depth=32,stages=3,split_k=2,longest_first=1", f32, "interval(3)", "rows",
       "sm_90a"},
      // Runs of whole steps, so that 64 rows go type after type, and 257 as they lie.
      {"EngineIntervalByType", "Q(2)", 128, 128,
       "rows=64,columns=64,depth=16,stages=3,split_k=2,longest_first=1", f32, "interval(32)", "rows",
       "sm_90a"},
      // Runs that are joined: several in a step and two steps in one, copied in parts, and partial ones at
      // both ends.
      {"EngineJoinedRuns", "Q(3)", 216, 144, "rows=64,columns=48,depth=32,stages=3,longest_first=1", bf16,
       "interval(4)", "rows", "sm_90a"},
      {"EngineJoinedCluster", "Q(2)", 288, 272,
       "rows=64,columns=64,depth=32,stages=3,cluster=2x2,longest_first=1", f32, "interval(32)", "rows",
       "sm_90a"},
      {"EngineJoinedPower", "Q(2)^2", 288, 160,
       "rows=64,columns=64,depth=32,stages=3,split_k=2,longest_first=1", bf16, "interval(2)", "rows",
       "sm_90a"},
      {"ThreadsJoinedRuns", "Q(3)", 60, 60, "rows=32,columns=32,depth=16,stages=3,warps=1x2", bf16,
       "interval(8)"},
      {"ThreadsJoinedLong", "Q(2)", 64, 64, "rows=32,columns=32,depth=16,stages=3,warps=2x1,longest_first=1",
       f32, "interval(32)"},
      {"EngineChosen", "Q(8)", 512, 384, "", f32, "cyclic", "rows", "sm_90a"},
      // Signs, tables, blocks without terms, all terms of all rows.
      {"EnginePower", "Q(2)^2", 288, 160, "rows=64,columns=64,depth=32,stages=3,split_k=2,longest_first=1",
       bf16, "cyclic", "rows", "sm_90a"},
      {"EnginePath", "path(3)", 120, 144, "rows=64,columns=48,depth=16,stages=3,ping_pong=2,longest_first=2",
       f32, "cyclic", "rows", "sm_90a"},
      {"EngineTensor", "Q(3)*T(2)", 96, 144, "rows=64,columns=16,depth=16,stages=3,longest_first=1", f32,
       "cyclic", "rows", "sm_90a"},
      {"EngineMatrices", "M(2)", 160, 96, "rows=64,columns=32,depth=32,stages=3,split_k=2", bf16, "cyclic",
       "slots", "sm_90a"},
      {"EngineQuaternions", table("quaternions"), 96, 160, "rows=64,columns=32,depth=16,stages=3", f32,
       "cyclic", "slots", "sm_90a"},
  };
  return all;
}

// No rows, fewer than types, segments that differ by one row, whole steps, and a bit more than that.
struct Batch {
  int64_t m, p0;
  int32_t blocks;
};
constexpr Batch batches[] = {{0, 0, 2}, {1, 0, 1}, {2, 5, 3}, {64, 0, 3}, {100, 1, 2}, {257, 2, 3}};

/// A schedule whose blocks the copy engine moves, for widths that are multiples of 8.
std::string engineSchedule(Draw &draw, bool one_column) {
  const int64_t columns = 16 * (1 + draw.below(5)), kind = draw.below(5);
  std::string schedule = fmt::format("rows={},columns={},depth={},stages={}", 64 << draw.below(2),
                                     kind == 1 ? 64 : columns, 16 << draw.below(3), 2 + draw.below(2));
  if (kind == 1)
    schedule += fmt::format(",split_k={}", 2 << draw.below(2));
  else if (kind == 2)
    schedule += ",ping_pong=2";
  else if (kind == 3)
    schedule += draw.below(2) ? ",cluster=2x1" : ",cluster=1x2";
  if (const int64_t longest_first = one_column ? 0 : draw.below(3); longest_first > 0)
    schedule += fmt::format(",longest_first={}", longest_first);
  return schedule;
}

class WeightGradientKernel : public testing::TestWithParam<Kernel> {};

TEST_P(WeightGradientKernel, IsExactForEverySeed) {
  const Kernel &which = GetParam();
  const compiler::Spec spec = projection(which.algebra, which.in, which.out, which.row_types, which.lift);
  const auto kernel = compiler::SimulatedKernel::parse(
      emittedKernel(spec, which.schedule, which.output, which.target, dw), which.name);
  ASSERT_EQ(kernel.description().map, dw);
  ASSERT_EQ(kernel.description().output, which.output);
  uint64_t seed = 0;
  for (const Batch &batch : batches)
    for (const float beta : {0.0f, 1.0f, 0.5f}) {
      const ExactCase product(spec, batch.m, batch.p0, ++seed, dw, beta);
      const auto objection = product.run(kernel, settingsOf(seed, batch.blocks));
      EXPECT_EQ(objection.text, "") << fmt::format("M = {} from {} on {} blocks, beta {}, seed {}", batch.m,
                                                   batch.p0, batch.blocks, beta, seed);
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, WeightGradientKernel, testing::ValuesIn(kernels()),
                         [](const auto &info) { return info.param.name; });

/// One row, some, and up to `most` more than a hundred, from any position on.
void expectExact(Draw &draw, const compiler::SimulatedKernel &kernel, const compiler::Spec &spec, int trial,
                 int64_t most, const std::string &schedule) {
  const algebras::Layer &layer = compiler::requireLayer(spec);
  for (const int64_t m : {int64_t{1}, 2 + draw.below(100), 100 + draw.below(most)}) {
    const int64_t p0 = draw.below(1000);
    const auto seed = static_cast<uint64_t>(trial * 1000 + m);
    const auto blocks = static_cast<int32_t>(1 + draw.below(7));
    const float beta = static_cast<float>(draw.below(3)) / 2;
    const ExactCase product(spec, m, p0, seed, dw, beta);
    EXPECT_EQ(product.run(kernel, settingsOf(seed, blocks)).text, "") << fmt::format(
        "{}, {} to {}, {} rows of a type one after another, {}: M = {} from {} on {} blocks, beta {}",
        layer.lift.algebra().name(), layer.in.width(0), layer.out.width(0), layer.row_types.width(), schedule,
        m, p0, blocks, beta);
  }
}

// Layers, schedules and batches by chance: widths that are multiples of nothing, long blocks or none.
TEST(RandomWeightGradients, AreExact) {
  Draw draw(13);
  for (int trial = 0; trial < 24; ++trial) {
    const Algebra &algebra = draw.one(algebras_of_all_kinds);
    const int64_t width_in = 1 + draw.below(70), width_out = 1 + draw.below(70);
    const std::string row_types = algebra.lift == "rows" && draw.below(3) == 0
                                      ? fmt::format("interval({})", 1 + draw.below(80))
                                      : "cyclic";
    const compiler::Spec spec = projection(algebra.expression, algebra.in * width_in, algebra.out * width_out,
                                           row_types, algebra.lift);
    const bool one_column = algebra.lift == "slots" || compiler::requireLayer(spec).out.count() == 1;
    std::string schedule = fmt::format("rows={},columns={},depth={},stages={},warps={}", 16 << draw.below(2),
                                       16 * (1 + draw.below(2)), 16 << draw.below(2), 2 + draw.below(3),
                                       draw.below(2) ? "1x2" : "1x1");
    if (const int64_t longest_first = one_column ? 0 : draw.below(3); longest_first > 0)
      schedule += fmt::format(",longest_first={}", longest_first);
    const auto output = draw.below(2) ? bf16 : f32;
    const auto kernel = compiler::SimulatedKernel::parse(
        emittedKernel(spec, schedule, output, draw.below(2) ? "sm_80" : "sm_90a", dw), algebra.expression);
    expectExact(draw, kernel, spec, trial, 150, schedule);
    if (HasFailure())
      return;
  }
}

TEST(RandomWeightGradients, AreExactWhereTheCopyEngineCopies) {
  Draw draw(29);
  int trials = 0;
  while (trials < 24) {
    const Algebra &algebra = draw.one(algebras_of_all_kinds);
    const int64_t width_in = 8 * (1 + draw.below(18)), width_out = 8 * (1 + draw.below(18));
    const std::string row_types = algebra.lift == "rows" && draw.below(3) == 0
                                      ? fmt::format("interval({})", 1 + draw.below(80))
                                      : "cyclic";
    const compiler::Spec spec = projection(algebra.expression, algebra.in * width_in, algebra.out * width_out,
                                           row_types, algebra.lift);
    if (!compiler::copyEngineTakes(algebras::coarsest(compiler::requireLayer(spec))))
      continue; // other coefficients than signs
    ++trials;
    const bool one_column = algebra.lift == "slots" || compiler::requireLayer(spec).out.count() == 1;
    const std::string schedule = engineSchedule(draw, one_column);
    const auto output = draw.below(2) ? bf16 : f32;
    const auto kernel = compiler::SimulatedKernel::parse(emittedKernel(spec, schedule, output, "sm_90a", dw),
                                                         algebra.expression);
    ASSERT_EQ(kernel.description().copies, algrt::GpuCopies::Engine);
    expectExact(draw, kernel, spec, trials, 250, schedule);
    if (HasFailure())
      return;
  }
}

struct RandomProduct {
  RandomProduct(const compiler::Spec &spec, int64_t m)
      : layer(compiler::runtimeLayer(compiler::requireLayer(spec))),
        support(compiler::runtimeSupport(compiler::requireLayer(spec))),
        x(algrt::randomValues(m * layer.k, 1, 1)), dy(algrt::randomValues(m * layer.n, 1, 2)),
        held(algrt::randomValues(layer.k * layer.weightColumns(), 1, 3)), m(m) {
    algrt::roundToBfloat16(x);
    algrt::roundToBfloat16(dy);
    algrt::roundToBfloat16(held);
  }
  compiler::ProductOperands operands(float beta = 0) const {
    return {&layer, &support, m, 3, x, dy, held, beta};
  }

  algrt::Layer layer;
  algrt::Support support;
  std::vector<float> x, dy, held;
  int64_t m;
};

// Sums that depend on their order, on grids of 1 to 7 blocks and under as many interleavings.
TEST(WeightGradients, AreTheSameToTheBitOnEveryGrid) {
  const compiler::Spec spec = projection("Q(4)", 128, 96);
  // 52 or 53 rows of a type, and 64 of which the diagonal is taken type after type.
  for (const int64_t m : {210, 256})
    for (const char *schedule : {"rows=32,columns=32,depth=16,stages=3,warps=2x1,longest_first=1",
                                 "rows=16,columns=16,depth=32,stages=3,warps=1x2",
                                 "rows=64,columns=32,depth=64,stages=3,ping_pong=2,longest_first=1",
                                 "rows=64,columns=32,depth=32,stages=3,split_k=2,longest_first=1"}) {
      const RandomProduct product(spec, m);
      const auto kernel =
          compiler::SimulatedKernel::parse(emittedKernel(spec, schedule, f32, "sm_90a", dw), "Q(4)");
      std::vector<float> first;
      for (int32_t blocks = 1; blocks <= 7; ++blocks) {
        const compiler::Simulation run =
            kernel.run(product.operands(0.5f), settingsOf(static_cast<uint64_t>(blocks), blocks));
        ASSERT_TRUE(run.ok()) << schedule;
        if (first.empty())
          first = run.y;
        EXPECT_EQ(run.y, first) << schedule << " on " << blocks << " blocks";
      }
      const auto expected = compiler::expectedProduct(product.operands(0.5f), dw);
      EXPECT_EQ(compiler::agreement(first, expected, f32).wrong, 0) << schedule;
    }
}

// NaN and infinities of X and dY reach what their terms reach, as term by term, and nothing else; what dW
// holds where beta is 0 reaches nothing.
TEST(WeightGradients, CarryNonFiniteNumbersAsTheirTermsDo) {
  const compiler::Spec spec = projection("path(3)", 72, 96);
  RandomProduct product(spec, 70);
  const float infinity = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN();
  Draw draw(11);
  for (const float value : {nan, infinity, -infinity, 0.0f})
    for (int i = 0; i < 3; ++i) {
      product.x[static_cast<size_t>(draw.below(static_cast<int64_t>(product.x.size())))] = value;
      product.dy[static_cast<size_t>(draw.below(static_cast<int64_t>(product.dy.size())))] = value;
      product.held[static_cast<size_t>(draw.below(static_cast<int64_t>(product.held.size())))] = value;
    }
  for (const char *schedule : {"rows=32,columns=32,depth=16,stages=3,warps=2x1,longest_first=1",
                               "rows=32,columns=16,depth=64,stages=2,warps=1x1",
                               "rows=64,columns=32,depth=16,stages=3,longest_first=2",
                               "rows=64,columns=32,depth=32,stages=3,split_k=2"})
    for (const float beta : {0.0f, 1.0f}) {
      const auto kernel =
          compiler::SimulatedKernel::parse(emittedKernel(spec, schedule, bf16, "sm_90a", dw), "path(3)");
      const compiler::Simulation run = kernel.run(product.operands(beta), settingsOf(1, 4));
      ASSERT_TRUE(run.ok()) << schedule;
      const auto expected = compiler::expectedProduct(product.operands(beta), dw);
      const auto found = compiler::agreement(run.y, expected, bf16);
      EXPECT_EQ(found.wrong, 0) << schedule << ": "
                                << (found.wrong
                                        ? compiler::describeFirst(found, run.y, expected, product.layer, dw)
                                        : "");
    }
}

} // namespace
