// Kernels whose thread blocks divide the steps of a tile, on the model: random layers, exact under
// interleavings of their own; and sums that depend on the order in which they are added.
#include "compiler/bundle/layer_description.h"
#include "tests/simulator/kernels/exact_case.h"
#include "tests/simulator/kernels/random_layers.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace simulator_test;

namespace {

class SplitKernel : public testing::TestWithParam<int64_t> {};

// Segments shorter and longer than a tile, groups that are no multiples of columns or depth, tiles with fewer
// steps than blocks and without any, on both sides of the instructions.
TEST_P(SplitKernel, IsExactOnRandomLayers) {
  const int64_t split = GetParam();
  Draw draw(static_cast<uint64_t>(split));
  // More blocks take longer.
  for (int64_t trial = 0; trial < 8 / split + 2; ++trial) {
    const Algebra &algebra = draw.one(algebras_of_all_kinds);
    const int64_t width_in = 8 * (1 + draw.below(20)), width_out = 8 * (1 + draw.below(24));
    const bool on_n = draw.below(3) == 0;
    const int64_t rows = on_n ? 8 * split * (1 + draw.below(3)) : 64 * (1 + draw.below(2));
    const int64_t columns =
        on_n ? 64 * (1 + draw.below(2)) : 16 * split * (1 + draw.below(split < 8 ? 3 : 2));
    const std::string schedule =
        fmt::format("rows={},columns={},depth={},stages={},split_k={}{}", rows, columns,
                    draw.one<int64_t>({16, 32, 64}), 2 + draw.below(3), split, on_n ? ",rows_on=n" : "");
    const std::string row_types = algebra.lift == "rows" && draw.below(3) == 0
                                      ? fmt::format("interval({})", 20 + draw.below(130))
                                      : "cyclic";
    const auto output = draw.below(2) ? algrt::ElementType::Bf16 : algrt::ElementType::F32;
    const compiler::Spec spec = projection(algebra.expression, algebra.in * width_in, algebra.out * width_out,
                                           row_types, algebra.lift);
    const auto kernel =
        compiler::SimulatedKernel::parse(emittedKernel(spec, schedule, output), algebra.expression);
    ASSERT_EQ(kernel.description().cluster, split);
    ASSERT_EQ(kernel.description().tile.split_k, split);
    for (const int64_t m : {int64_t{1}, 2 + draw.below(100), 100 + draw.below(200)}) {
      const int64_t p0 = draw.below(1000);
      const auto seed = static_cast<uint64_t>(trial * 1000 + m);
      const auto blocks = static_cast<int32_t>(1 + draw.below(3 * split));
      const ExactCase product(spec, m, p0, seed);
      EXPECT_EQ(product.run(kernel, settingsOf(seed, blocks)).text, "")
          << fmt::format("{} {} to {} {}, {}: M = {} from {} on {} blocks", algebra.expression, width_in,
                         width_out, row_types, schedule, m, p0, blocks);
    }
    if (HasFailure())
      return;
  }
}

// One kernel, many interleavings: blocks that take many tiles, whose shares are of no step and of several.
TEST_P(SplitKernel, IsExactForEverySeed) {
  const compiler::Spec spec = projection("T(3)", 3 * 72, 3 * 72);
  const auto kernel = compiler::SimulatedKernel::parse(
      emittedKernel(
          spec, fmt::format("rows=64,columns={},depth=32,stages=2,split_k={}", 16 * GetParam(), GetParam()),
          algrt::ElementType::Bf16),
      "T(3)");
  const ExactCase product(spec, 3 * 64 + 70, 4, 1);
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(16 / GetParam()); ++seed)
    EXPECT_EQ(product.run(kernel, settingsOf(seed, static_cast<int32_t>(GetParam()))).text, "")
        << "seed " << seed;
}

// One step for each block, and products whose f32 sum depends on the order: beside 2^30 a 3 is lost, and what
// comes behind its opposite is not. Another order than that of the blocks gives other numbers, from 4 on.
TEST_P(SplitKernel, AddsInTheOrderOfTheBlocks) {
  constexpr int64_t depth = 16, rows = 3;
  const int64_t split = GetParam(), k = split * depth, n = 16 * split;
  const compiler::Spec spec = projection("M(1)", k, n);
  const algebras::Layer &layer = compiler::requireLayer(spec);
  const algrt::Layer described = compiler::runtimeLayer(layer);
  const algrt::Support support = compiler::runtimeSupport(layer);
  const auto kernel = compiler::SimulatedKernel::parse(
      emittedKernel(spec, fmt::format("rows=64,columns={},depth={},stages=2,split_k={}", n, depth, split),
                    algrt::ElementType::F32),
      "M(1)");
  const float large = std::ldexp(1.0f, 30), products[] = {large, 3, -large, 1, 1, 1, 1, 1};
  std::vector<float> x(static_cast<size_t>(rows * k)), w(static_cast<size_t>(k * n), 1);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t block = 0; block < split; ++block)
      x[static_cast<size_t>(row * k + block * depth)] = products[block];
  float sum = products[0];
  for (int64_t block = 1; block < split; ++block)
    sum += products[block];
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const compiler::Simulation simulation =
        kernel.run({&described, &support, rows, 0, x, w}, settingsOf(seed, static_cast<int32_t>(split)));
    ASSERT_TRUE(simulation.report.ok()) << kernel.explain(simulation.report.faults.front());
    for (const float value : simulation.y)
      ASSERT_EQ(value, sum);
  }
}

INSTANTIATE_TEST_SUITE_P(Splits, SplitKernel, testing::Values(2, 4, 8));

} // namespace
