// Kernels whose thread blocks copy for each other, on the model: random layers, exact under interleavings of
// their own.
#include "tests/simulator/kernels/exact_case.h"
#include "tests/simulator/kernels/random_layers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace simulator_test;

namespace {

struct Cluster {
  const char *name;
  int64_t rows, columns;
};

class ClusterKernel : public testing::TestWithParam<Cluster> {};

// Segments shorter than a block, than a cluster, and of several clusters that are not full; groups likewise.
TEST_P(ClusterKernel, IsExactOnRandomLayers) {
  const Cluster &cluster = GetParam();
  Draw draw(static_cast<uint64_t>(cluster.rows * 8 + cluster.columns));
  for (int trial = 0; trial < 8; ++trial) {
    const Algebra &algebra = draw.one(algebras_of_all_kinds);
    const int64_t width_in = 8 * (1 + draw.below(16)), width_out = 8 * (1 + draw.below(24));
    const int64_t rows = 64 * (1 + draw.below(2)), columns = 16 * (1 + draw.below(5));
    const std::string schedule =
        fmt::format("rows={},columns={},depth={},stages={},cluster={}x{}", rows, columns,
                    draw.one<int64_t>({32, 64}), 2 + draw.below(3), cluster.rows, cluster.columns);
    const std::string row_types = algebra.lift == "rows" && draw.below(3) == 0
                                      ? fmt::format("interval({})", 20 + draw.below(130))
                                      : "cyclic";
    const auto output = draw.below(2) ? algrt::ElementType::Bf16 : algrt::ElementType::F32;
    const compiler::Spec spec = projection(algebra.expression, algebra.in * width_in, algebra.out * width_out,
                                           row_types, algebra.lift);
    const auto kernel =
        compiler::SimulatedKernel::parse(emittedKernel(spec, schedule, output), algebra.expression);
    ASSERT_EQ(kernel.description().cluster, cluster.rows * cluster.columns);
    for (const int64_t m : {int64_t{1}, 2 + draw.below(100), 100 + draw.below(300)}) {
      const int64_t p0 = draw.below(1000);
      const auto seed = static_cast<uint64_t>(trial * 1000 + m);
      const auto blocks = static_cast<int32_t>(1 + draw.below(9));
      const ExactCase product(spec, m, p0, seed);
      EXPECT_EQ(product.run(kernel, settingsOf(seed, blocks)).text, "")
          << fmt::format("{} {} to {} {}, {}: M = {} from {} on {} blocks", algebra.expression, width_in,
                         width_out, row_types, schedule, m, p0, blocks);
    }
    if (HasFailure())
      return;
  }
}

// One kernel, many interleavings: rings that turn many times, tiles of one step and of several.
TEST_P(ClusterKernel, IsExactForEverySeed) {
  const Cluster &cluster = GetParam();
  const compiler::Spec spec = projection("Q(3)", 3 * 104, 3 * 120);
  const auto kernel = compiler::SimulatedKernel::parse(
      emittedKernel(
          spec,
          fmt::format("rows=64,columns=48,depth=32,stages=3,cluster={}x{}", cluster.rows, cluster.columns),
          algrt::ElementType::Bf16),
      cluster.name);
  const ExactCase product(spec, 3 * 64 + 70, 4, 1);
  for (uint64_t seed = 0; seed < 12; ++seed)
    EXPECT_EQ(product.run(kernel, settingsOf(seed, 8)).text, "") << "seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(Clusters, ClusterKernel,
                         testing::Values(Cluster{"TwoRows", 2, 1}, Cluster{"FourRows", 4, 1},
                                         Cluster{"TwoColumns", 1, 2}, Cluster{"FourColumns", 1, 4},
                                         Cluster{"Square", 2, 2}, Cluster{"Eight", 2, 4}),
                         [](const auto &info) { return info.param.name; });

} // namespace
