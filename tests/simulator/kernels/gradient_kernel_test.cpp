// The kernels of the gradient of X, dX = dY W^T, on the model: those whose blocks the copy engine moves and
// those whose threads copy. The weight matrix is the one that Y was computed with, as it lies. Each product
// is exact, under an interleaving of its own.
#include "compiler/bundle/layer_description.h"
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
constexpr auto dx = algrt::Map::Dx;

struct Kernel {
  std::string name, algebra;
  int64_t in, out;
  std::string schedule; // chosen by cost where it is empty
  algrt::ElementType output;
  std::string row_types = "cyclic", lift = "rows", target = "sm_90a";
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
      // complete graphs: one type, tiles narrower and wider than groups, every depth, several warpgroups
      {"Q1", "Q(1)", 96, 128, "rows=64,columns=32,depth=64,stages=2", bf16},
      {"Q3", "Q(3)", 288, 192, "rows=128,columns=96,depth=32,stages=3", bf16},
      {"Q3Float", "Q(3)", 576, 384, "rows=128,columns=192,depth=64,stages=2", f32},
      {"Q2Wide", "Q(2)", 512, 256, "rows=128,columns=256,depth=32,stages=2", bf16},
      {"Q4Chosen", "Q(4)", 512, 512, "", bf16},
      {"Q5Narrow", "Q(5)", 80, 160, "rows=64,columns=16,depth=16,stages=5", f32},
      {"Q6Partial", "Q(6)", 336, 240, "rows=64,columns=32,depth=32,stages=3", bf16},
      {"Q2Shallow", "Q(2)", 320, 320, "rows=128,columns=160,depth=64,stages=2", bf16}, // 160 = 64 + 64 + 32
      {"Q3ManyWarpgroups", "Q(3)", 192, 96, "rows=256,columns=64,depth=32,stages=3", bf16},
      // rows on the instructions' second side: the weight matrix is on the first, and one to four warpgroups
      // cut it
      {"Q4FewRows", "Q(4)", 256, 256, "rows=8,columns=64,depth=64,stages=4,rows_on=n", bf16},
      {"Q5FewRowsFloat", "Q(5)", 520, 400, "rows=24,columns=128,depth=32,stages=3,rows_on=n", f32},
      {"Q3ManyColumns", "Q(3)", 768, 192, "rows=40,columns=256,depth=64,stages=2,rows_on=n", bf16},
      {"PathRowsOnN", "path(3)", 600, 216, "rows=64,columns=192,depth=16,stages=3,rows_on=n,outer=groups",
       bf16},
      // turns, clusters that share rows or blocks of the weight matrix, and blocks that divide the steps of a
      // tile
      {"Q4Turns", "Q(4)", 384, 256, "rows=64,columns=96,depth=32,stages=3,ping_pong=2", bf16},
      {"ClusterRows", "Q(3)", 240, 192, "rows=64,columns=48,depth=32,stages=3,cluster=2x1", bf16},
      {"ClusterColumns", "Q(3)", 240, 216, "rows=64,columns=48,depth=64,stages=2,cluster=1x2", f32},
      {"Clusters", "Q(2)", 256, 192, "rows=64,columns=64,depth=32,stages=3,cluster=2x2,ping_pong=2", bf16},
      {"Q4Split2", "Q(4)", 384, 256, "rows=64,columns=96,depth=32,stages=3,split_k=2", bf16},
      {"Q2Split8", "Q(2)", 272, 320, "rows=64,columns=128,depth=16,stages=3,split_k=8", f32},
      {"Q3Split4RowsOnN", "Q(3)", 192, 192, "rows=64,columns=64,depth=64,stages=2,rows_on=n,split_k=4", bf16},
      // long groups first: alone, in clusters, with turns; divided among blocks while others are not, with as
      // many steps as blocks, fewer and more; of computed terms and of a table, on both sides of the
      // instructions
      {"Q5Long", "Q(5)", 240, 160, "rows=64,columns=48,depth=32,stages=3,longest_first=1", bf16},
      {"Q4LongGroups", "Q(4)", 256, 256, "rows=64,columns=64,depth=64,stages=2,outer=groups,longest_first=1",
       f32},
      {"Q4LongTurns", "Q(4)", 256, 192, "rows=64,columns=64,depth=32,stages=3,ping_pong=2,longest_first=1",
       bf16},
      {"Q3LongCluster", "Q(3)", 240, 192, "rows=64,columns=48,depth=32,stages=3,cluster=2x1,longest_first=1",
       bf16},
      {"Q5LongSplit2", "Q(5)", 240, 160, "rows=64,columns=32,depth=32,stages=3,split_k=2,longest_first=1",
       bf16},
      {"Q3LongSplit4Float", "Q(3)", 192, 216,
       "rows=128,columns=64,depth=64,stages=2,split_k=4,longest_first=1", f32},
      {"Q6LongSplit8", "Q(6)", 768, 240, "rows=64,columns=128,depth=16,stages=3,split_k=8,longest_first=1",
       bf16},
      {"Q4LongSplit2Groups", "Q(4)", 256, 256,
       "rows=64,columns=64,depth=32,stages=3,split_k=2,longest_first=1,outer=groups", f32},
      {"Q3LongSplitRowsOnN", "Q(3)", 192, 192,
       "rows=32,columns=64,depth=64,stages=2,rows_on=n,split_k=4,longest_first=1", bf16},
      {"Q3LongSplitRowsOnNWide", "Q(3)", 384, 192,
       "rows=48,columns=128,depth=32,stages=2,rows_on=n,split_k=2,longest_first=1", f32},
      {"IntervalLongSplit", "Q(4)", 256, 256,
       "rows=64,columns=64,depth=32,stages=3,split_k=2,longest_first=1", bf16, "interval(40)"},
      {"PowerLong", "Q(2)^2", 256, 128, "rows=64,columns=64,depth=32,stages=3,longest_first=2", bf16},
      {"TriangularLongSplit", "T(4)", 256, 256,
       "rows=64,columns=64,depth=32,stages=3,split_k=2,longest_first=2", f32},
      {"TriangularAllLong", "T(3)", 192, 192,
       "rows=64,columns=64,depth=32,stages=3,split_k=2,longest_first=3", bf16},
      {"QuaternionsLong", table("quaternions"), 256, 320,
       "rows=64,columns=32,depth=64,stages=3,longest_first=1", f32, "cyclic", "slots"},
      {"ThreadsLong", "Q(5)", 300, 240, "rows=32,columns=32,depth=32,stages=3,warps=2x1,longest_first=1",
       bf16, "cyclic", "rows", "sm_80"},
      {"ThreadsPathLong", "path(3)", 36, 60, "rows=32,columns=16,depth=16,stages=2,warps=2x1,longest_first=1",
       bf16, "cyclic", "rows", "sm_80"},
      {"ThreadsDividedPowersLong", table("divided_powers"), 60, 100,
       "rows=32,columns=16,depth=16,stages=3,warps=2x1,longest_first=2", f32, "cyclic", "slots", "sm_80"},
      // sums of a type's own group that stay for all groups of dY: of one block, of blocks with equal and
      // unequal shares of the groups and without any, of several blocks of columns, of blocks that copy for
      // each other, on both sides of the instructions, of several warpgroups
      {"Q4Stationary", "Q(4)", 256, 384, "rows=64,columns=64,depth=64,stages=3,stationary=4", bf16},
      {"Q5StationaryPartial", "Q(5)", 280, 200, "rows=64,columns=32,depth=32,stages=3,stationary=5", f32},
      {"Q4StationarySplit2", "Q(4)", 256, 256, "rows=64,columns=64,depth=32,stages=3,stationary=2,split_k=2",
       bf16},
      {"Q5StationarySplit2", "Q(5)", 240, 320, "rows=128,columns=96,depth=64,stages=2,stationary=3,split_k=2",
       f32},
      {"Q3StationarySplit4", "Q(3)", 192, 144, "rows=64,columns=64,depth=16,stages=5,stationary=1,split_k=4",
       bf16},
      {"Q3StationaryRowsOnN", "Q(3)", 240, 192,
       "rows=32,columns=128,depth=64,stages=2,stationary=2,rows_on=n,split_k=2", bf16},
      {"Q4StationaryCluster", "Q(4)", 320, 256,
       "rows=64,columns=48,depth=32,stages=3,cluster=2x2,stationary=4", f32},
      {"Q2StationaryTall", "Q(2)", 320, 128, "rows=128,columns=160,depth=64,stages=3,stationary=2", bf16},
      {"Q4StationaryInterval", "Q(4)", 256, 256,
       "rows=64,columns=64,depth=32,stages=3,stationary=2,split_k=2", bf16, "interval(40)"},
      // runs of rows
      {"Q3Interval", "Q(3)", 192, 192, "rows=64,columns=64,depth=64,stages=3", bf16, "interval(40)"},
      {"Q4LongInterval", "Q(4)", 256, 256, "rows=128,columns=64,depth=32,stages=4", f32, "interval(150)"},
      {"PowerInterval", "Q(2)^2", 256, 128, "rows=64,columns=64,depth=32,stages=3", bf16, "interval(48)"},
      {"JoinedRuns", "Q(3)", 192, 192, "rows=64,columns=64,depth=64,stages=3", bf16, "interval(4)"},
      {"JoinedStationary", "Q(4)", 256, 256, "rows=64,columns=64,depth=32,stages=3,stationary=2,split_k=2",
       bf16, "interval(8)"},
      // many tiles without rows in a row: turns come back at once
      {"JoinedTurns", "Q(4)", 256, 160,
       "rows=16,columns=64,depth=32,stages=16,outer=groups,rows_on=n,ping_pong=2", bf16, "interval(32)"},
      {"ThreadsJoined", "Q(3)", 60, 60, "rows=16,columns=32,depth=16,stages=3,warps=1x2", bf16, "interval(8)",
       "rows", "sm_80"},
      {"ThreadsJoinedWide", "Q(2)", 40, 60, "rows=32,columns=32,depth=16,stages=3,warps=2x1", f32,
       "interval(32)", "rows", "sm_80"},
      // terms from a table; groups of dX that no group of dY reaches are written as zero
      {"Power", "Q(2)^2", 256, 128, "rows=64,columns=64,depth=32,stages=2", f32},
      {"Path", "path(3)", 192, 192, "rows=64,columns=64,depth=64,stages=2", bf16},
      {"Triangular", "T(4)", 256, 256, "rows=128,columns=64,depth=16,stages=3", f32},
      {"Tensor", "Q(3)*T(2)", 384, 384, "rows=64,columns=64,depth=64,stages=3", bf16},
      {"WithMatrices", "Q(3)*M(2)", 384, 192, "rows=64,columns=64,depth=32,stages=3", bf16},
      // slots, with signs
      {"Matrices", "M(2)", 256, 320, "rows=64,columns=64,depth=64,stages=3", bf16, "cyclic", "slots"},
      {"Quaternions", table("quaternions"), 256, 320, "rows=64,columns=32,depth=64,stages=3", f32, "cyclic",
       "slots"},
      {"QuaternionsRowsOnN", table("quaternions"), 256, 320, "rows=48,columns=64,depth=64,stages=2,rows_on=n",
       f32, "cyclic", "slots"},
      // threads copy: every vector, partial blocks, warps in several arrangements
      {"Threads", "Q(3)", 300, 240, "rows=64,columns=64,depth=32,stages=3,warps=2x2", bf16, "cyclic", "rows",
       "sm_80"},
      {"ThreadsBy20", "Q(2)", 96, 40, "rows=32,columns=48,depth=16,stages=3,warps=2x1", bf16, "cyclic",
       "rows", "sm_80"},
      {"ThreadsBy5", "Q(7)", 49, 35, "rows=32,columns=16,depth=16,stages=2,warps=1x2", f32, "cyclic", "rows",
       "sm_80"},
      {"ThreadsChosen", "Q(12)", 120, 240, "", bf16, "cyclic", "rows", "sm_80"},
      {"ThreadsNarrow", "Q(2)", 96, 64, "rows=32,columns=48,depth=64,stages=2,warps=1x2", f32, "cyclic",
       "rows", "sm_80"},
      {"ThreadsSixteenWarps", "Q(2)", 128, 64, "rows=128,columns=64,depth=32,stages=2,warps=8x2", bf16,
       "cyclic", "rows", "sm_80"},
      {"ThreadsUnaligned", "Q(3)", 96, 96, "rows=32,columns=32,depth=32,stages=3,warps=2x2,vector=1", f32,
       "cyclic", "rows", "sm_80"},
      {"ThreadsInterval", "Q(3)", 60, 60, "rows=16,columns=32,depth=16,stages=3,warps=1x2", bf16,
       "interval(20)", "rows", "sm_80"},
      {"ThreadsPath", "path(3)", 36, 60, "rows=32,columns=16,depth=16,stages=2,warps=2x1", bf16, "cyclic",
       "rows", "sm_80"},
      {"ThreadsQuaternions", table("quaternions"), 64, 80, "rows=32,columns=16,depth=16,stages=3,warps=2x1",
       f32, "cyclic", "slots", "sm_80"},
      {"ThreadsDividedPowers", table("divided_powers"), 60, 100,
       "rows=32,columns=16,depth=16,stages=3,warps=2x1", f32, "cyclic", "slots", "sm_80"},
      {"ThreadsOnHopper", "Q(3)", 60, 84, "", bf16, "cyclic", "rows", "sm_90a"},
  };
  return all;
}

// Fewer rows than types, segments that differ by one row, whole tiles, and a bit more than that.
struct Batch {
  int64_t m, p0;
  int32_t blocks;
};
constexpr Batch batches[] = {{1, 0, 1}, {2, 5, 3}, {100, 1, 2}, {257, 2, 3}, {390, 7, 5}};

class GradientKernel : public testing::TestWithParam<Kernel> {};

TEST_P(GradientKernel, IsExactForEverySeed) {
  const Kernel &which = GetParam();
  const compiler::Spec spec = projection(which.algebra, which.in, which.out, which.row_types, which.lift);
  const auto kernel = compiler::SimulatedKernel::parse(
      emittedKernel(spec, which.schedule, which.output, which.target, dx), which.name);
  ASSERT_EQ(kernel.description().map, dx);
  ASSERT_EQ(kernel.description().output, which.output);
  uint64_t seed = 0;
  for (const Batch &batch : batches)
    for (int repeat = 0; repeat < 2; ++repeat, ++seed) {
      const ExactCase product(spec, batch.m, batch.p0, seed, dx);
      const auto objection = product.run(kernel, settingsOf(seed, batch.blocks));
      EXPECT_EQ(objection.text, "") << fmt::format("M = {} from {} on {} blocks, seed {}", batch.m, batch.p0,
                                                   batch.blocks, seed);
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, GradientKernel, testing::ValuesIn(kernels()),
                         [](const auto &info) { return info.param.name; });

// Layers, schedules and batches by chance, on both targets: widths that are multiples of nothing where
// threads copy, long groups or none, divided or not.
TEST(RandomGradients, AreExact) {
  Draw draw(7);
  for (int trial = 0; trial < 24; ++trial) {
    const bool threads = trial % 2 == 0;
    const Algebra &algebra = draw.one(algebras_of_all_kinds);
    const int64_t unit = threads ? 1 : 8;
    const int64_t width_in = unit * (1 + draw.below(160 / unit)),
                  width_out = unit * (1 + draw.below(160 / unit));
    const std::string row_types = algebra.lift == "rows" && draw.below(3) == 0
                                      ? fmt::format("interval({})", 20 + draw.below(130))
                                      : "cyclic";
    const compiler::Spec spec = projection(algebra.expression, algebra.in * width_in, algebra.out * width_out,
                                           row_types, algebra.lift);
    // A dense layer has one group, and so has no order of them.
    const int64_t groups = compiler::requireLayer(spec).in.count();
    const int64_t longest_first = groups > 1 ? draw.below(3) : 0, split = 1 << draw.below(3);
    std::string schedule =
        threads
            ? fmt::format("rows={},columns={},depth={},stages={},warps={}", 16 << draw.below(2),
                          16 * (1 + draw.below(2)), 16 << draw.below(2), 2 + draw.below(3),
                          draw.below(2) ? "1x2" : "1x1")
            : fmt::format("rows=64,columns={},depth={},stages={},split_k={}",
                          16 * split * (1 + draw.below(2)), 16 << draw.below(3), 2 + draw.below(3), split);
    if (longest_first > 0)
      schedule += fmt::format(",longest_first={}", longest_first);
    const auto output = draw.below(2) ? bf16 : f32;
    const auto kernel = compiler::SimulatedKernel::parse(
        emittedKernel(spec, schedule, output, threads ? "sm_80" : "sm_90a", dx), algebra.expression);
    for (const int64_t m : {int64_t{1}, 2 + draw.below(100), 100 + draw.below(150)}) {
      const int64_t p0 = draw.below(1000);
      const auto seed = static_cast<uint64_t>(trial * 1000 + m);
      const auto blocks = static_cast<int32_t>(1 + draw.below(3 * split));
      const ExactCase product(spec, m, p0, seed, dx);
      EXPECT_EQ(product.run(kernel, settingsOf(seed, blocks)).text, "")
          << fmt::format("{} {} to {} {}, {}: M = {} from {} on {} blocks", algebra.expression, width_in,
                         width_out, row_types, schedule, m, p0, blocks);
    }
    if (HasFailure())
      return;
  }
}

struct RandomProduct {
  RandomProduct(const compiler::Spec &spec, int64_t m)
      : layer(compiler::runtimeLayer(compiler::requireLayer(spec))),
        support(compiler::runtimeSupport(compiler::requireLayer(spec))),
        dy(algrt::randomValues(m * layer.n, 1, 1)),
        w(algrt::randomValues(layer.k * layer.weightColumns(), 0.1, 2)), m(m) {
    algrt::roundToBfloat16(dy);
    algrt::roundToBfloat16(w);
  }
  compiler::ProductOperands operands() const { return {&layer, &support, m, 3, dy, w}; }

  algrt::Layer layer;
  algrt::Support support;
  std::vector<float> dy, w;
  int64_t m;
};

// Sums that depend on their order, on grids of 1 to 5 clusters and under as many interleavings.
TEST(Gradients, AreTheSameToTheBitOnEveryGrid) {
  const compiler::Spec spec = projection("Q(4)", 256, 288);
  const RandomProduct product(spec, 150);
  for (const char *schedule : {"rows=64,columns=64,depth=32,stages=3,split_k=4,longest_first=1",
                               "rows=64,columns=64,depth=32,stages=3,longest_first=1",
                               "rows=32,columns=32,depth=16,stages=3,warps=2x1,longest_first=1"}) {
    const auto kernel =
        compiler::SimulatedKernel::parse(emittedKernel(spec, schedule, f32, "sm_90a", dx), "Q(4)");
    std::vector<float> first;
    for (int32_t clusters = 1; clusters <= 5; ++clusters) {
      const compiler::Simulation run =
          kernel.run(product.operands(), settingsOf(static_cast<uint64_t>(clusters), clusters * 4));
      ASSERT_TRUE(run.ok()) << schedule;
      if (first.empty())
        first = run.y;
      EXPECT_EQ(run.y, first) << schedule << " on " << clusters << " clusters";
    }
    const auto expected = compiler::expectedProduct(product.operands(), dx);
    EXPECT_EQ(compiler::agreement(first, expected, f32).wrong, 0) << schedule;
  }
}

// NaN and infinities reach what their terms reach, as term by term, and nothing else.
TEST(Gradients, CarryNonFiniteNumbersAsTheirTermsDo) {
  const compiler::Spec spec = projection("path(3)", 120, 168);
  RandomProduct product(spec, 70);
  const float infinity = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN();
  Draw draw(11);
  for (const float value : {nan, infinity, -infinity, 0.0f})
    for (int i = 0; i < 3; ++i) {
      product.dy[static_cast<size_t>(draw.below(static_cast<int64_t>(product.dy.size())))] = value;
      product.w[static_cast<size_t>(draw.below(static_cast<int64_t>(product.w.size())))] = value;
    }
  for (const char *schedule : {"rows=64,columns=32,depth=32,stages=3,split_k=2,longest_first=1",
                               "rows=16,columns=64,depth=64,stages=2,rows_on=n",
                               "rows=32,columns=32,depth=16,stages=3,warps=2x1,longest_first=1"}) {
    const auto kernel =
        compiler::SimulatedKernel::parse(emittedKernel(spec, schedule, bf16, "sm_90a", dx), "path(3)");
    const compiler::Simulation run = kernel.run(product.operands(), settingsOf(1, 4));
    ASSERT_TRUE(run.ok()) << schedule;
    const auto expected = compiler::expectedProduct(product.operands(), dx);
    const auto found = compiler::agreement(run.y, expected, bf16);
    EXPECT_EQ(found.wrong, 0) << schedule << ": "
                              << (found.wrong
                                      ? compiler::describeFirst(found, run.y, expected, product.layer, dx)
                                      : "");
  }
}

} // namespace
