// Products of blocks, carried out one by one on the host, against the reference.
#include "runtime/bench/gpu/block_product.h"

#include "runtime/reference/reference.h"
#include "runtime/support/error.h"
#include "tests/runtime/shapes.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace algrt {
namespace {

struct Case {
  Layer layer;
  Support support = Support::complete(1);
};

Layer layerOf(Lift lift, std::vector<int64_t> in, std::vector<int64_t> out, int64_t types, int64_t width) {
  const auto sum = [](const std::vector<int64_t> &widths) {
    return std::accumulate(widths.begin(), widths.end(), int64_t(0));
  };
  const int64_t k = sum(in), n = sum(out);
  return {lift,  ElementType::Bf16,
          k,     n,
          types, width == 1 ? RowTypesKind::Cyclic : RowTypesKind::Interval,
          width, in,
          out,   in};
}

Case complete(int64_t types, int64_t width) {
  std::vector<int64_t> in, out;
  for (int64_t i = 0; i < types; ++i) {
    in.push_back(3 + i % 3);
    out.push_back(2 + i % 4);
  }
  return {layerOf(Lift::Rows, in, out, types, width), Support::complete(types)};
}

Case table(const Layer &layer, const std::vector<std::vector<Term>> &terms) {
  return {layer,
          Support::parseTable(encodeTerms(layer.types, int64_t(layer.out_groups.size()), terms), layer)};
}

void expectTheProduct(const Case &given, int64_t m) {
  const Layer &layer = given.layer;
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> x(size_t(m * layer.k)), w(size_t(layer.k * layer.weightColumns()));
  for (std::vector<float> *values : {&x, &w})
    for (float &value : *values)
      value = uniform(random);
  const BlockProduct product = composeOfBlocks(layer, given.support, m);
  std::vector<double> y(size_t(m * layer.n), std::nan(""));
  for (size_t round = 0; round < product.rounds.size(); ++round) {
    std::vector<int> written(y.size(), 0);
    for (const BlockGemm &gemm : product.rounds[round]) {
      ASSERT_GT(gemm.rows * gemm.columns * gemm.depth, 0);
      for (int64_t row = 0; row < gemm.rows; ++row)
        for (int64_t column = 0; column < gemm.columns; ++column) {
          double sum = 0;
          for (int64_t i = 0; i < gemm.depth; ++i)
            sum += double(x.at(size_t(gemm.x + row * product.x_stride + i))) *
                   double(w.at(size_t(gemm.w + i * product.w_stride + column)));
          const auto at = size_t(gemm.y + row * product.y_stride + column);
          ++written.at(at);
          y[at] = gemm.coefficient * sum + (round == 0 ? 0 : y[at]);
        }
    }
    for (size_t i = 0; i < written.size(); ++i) {
      EXPECT_LE(written[i], 1) << "element " << i << " of round " << round;
      EXPECT_TRUE(round > 0 || written[i] == 1) << "element " << i << " is not written by the first round";
    }
  }
  const std::vector<double> expected =
      referenceForward({&layer, &given.support, m, x.data(), layer.k, w.data(), layer.weightColumns()}, 1);
  for (size_t i = 0; i < y.size(); ++i)
    EXPECT_NEAR(y[i], expected[i], 1e-9)
        << "row " << i / size_t(layer.n) << ", column " << i % size_t(layer.n);
}

TEST(BlockProduct, CompleteGraphsWithCyclicTypes) {
  for (const int64_t m : {1, 3, 7, 8, 29})
    expectTheProduct(complete(7, 1), m);
}

TEST(BlockProduct, IntervalsAsRunsOrAsRowsOfRuns) {
  for (const int64_t width : {2, 5})
    for (const int64_t m : {1, 4, 17, 31, 80})
      expectTheProduct(complete(3, width), m);
  // Two periods of runs of five rows: runs are fewer. Ten periods: rows of runs are.
  EXPECT_EQ(composeOfBlocks(complete(3, 5).layer, Support::complete(3), 30).x_stride, 12);
  EXPECT_EQ(composeOfBlocks(complete(3, 5).layer, Support::complete(3), 150).x_stride, 15 * 12);
}

TEST(BlockProduct, SlotsWithSigns) {
  const Layer layer = layerOf(Lift::Slots, {3, 3, 3, 3}, {5, 5, 5, 5}, 1, 1);
  for (const int64_t m : {1, 13})
    expectTheProduct(table(layer, test::quaternionTerms()), m);
}

TEST(BlockProduct, TablesWithAnyCoefficientsAndEmptySlots) {
  const Layer layer = layerOf(Lift::Rows, {2, 3, 4}, {3, 1, 2}, 2, 1);
  // Type 0 has nothing for group 1, and one source for groups 0 and 2 that are no neighbours.
  expectTheProduct(table(layer, {{{0, 0, 1}, {1, 1, -0.5}},
                                 {},
                                 {{0, 0, 1}},
                                 {{2, 2, 3}, {1, 1, 1}, {0, 0, 2}},
                                 {{2, 2, 3}},
                                 {{2, 2, -3}}}),
                   9);
}

TEST(BlockProduct, NeighboursThatShareABlockOfXAreOneProduct) {
  const Case eight = complete(8, 1);
  const BlockProduct product = composeOfBlocks(eight.layer, eight.support, 64);
  ASSERT_EQ(product.rounds.size(), 2u);
  EXPECT_EQ(product.rounds[0].size(), 8u); // x_i with its row of the weight matrix
  EXPECT_EQ(product.rounds[0][0].columns, eight.layer.n);
  EXPECT_EQ(product.rounds[1].size(), 56u); // x_j with the diagonal, for every type but j
  EXPECT_EQ(product.gemms(), 64);
  EXPECT_EQ(product.x_stride, 8 * eight.layer.k);
}

TEST(BlockProduct, ExplicitTypesHaveNone) {
  Layer layer = complete(3, 1).layer;
  layer.row_types = RowTypesKind::ExplicitTypes;
  layer.row_type_width = 0;
  EXPECT_THROW(composeOfBlocks(layer, Support::complete(3), 5), Error);
}

} // namespace
} // namespace algrt
