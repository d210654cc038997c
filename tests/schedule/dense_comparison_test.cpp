// Layers beside dense projections: which rows are compared, and where a layer is slower.
#include "compiler/schedule/dense_comparison.h"

#include "algebras/expression.h"
#include "compiler/schedule/ranking.h"
#include "tests/schedule/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace compiler;
using algebras::DataType;
using algrt::Map;

std::vector<int64_t> comparedRows(int64_t m) {
  std::vector<int64_t> rows;
  for (const ComparedRows &one :
       compareWithDense(projection("Q(2)", 256, 256), Map::Forward, "sm_80", m, DataType::BF16).rows)
    rows.push_back(one.m);
  return rows;
}

TEST(DenseComparison, RowsArePowersOfTwoAndTheLast) {
  EXPECT_THAT(comparedRows(1), testing::ElementsAre(1));
  EXPECT_THAT(comparedRows(8), testing::ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(comparedRows(9), testing::ElementsAre(1, 2, 4, 8, 9));
}

// Both sides are what the rankings of the two layers have at the top.
TEST(DenseComparison, TakesTheBestOfBothRankings) {
  const algebras::Layer layer = projection("Q(8)", 2048, 768);
  const algebras::Layer dense = projection("Q(1)", 2048, 768);
  for (const char *target : {"sm_90a", "sm_80"})
    for (Map map : {Map::Forward, Map::Dx, Map::Dw}) {
      const ComparedRows last = compareWithDense(layer, map, target, 512, DataType::BF16).rows.back();
      const Ranking own = rankMap(layer, map, target, 512, DataType::BF16),
                    other = rankMap(dense, map, target, 512, DataType::BF16);
      EXPECT_EQ(last.layer.us, own.legal.front().predicted());
      EXPECT_EQ(last.layer.schedule, toString(own.legal.front().schedule));
      EXPECT_EQ(last.dense.us, other.legal.front().predicted());
      EXPECT_EQ(last.isSlower(), own.legal.front().predicted() > other.legal.front().predicted());
    }
}

TEST(DenseComparison, ADenseLayerIsNeverSlowerThanItself) {
  algebras::Layer layer = projection("Q(1)", 768, 1536);
  layer.bias = true;
  EXPECT_TRUE(denseLayer(layer).bias);
  for (const char *target : {"cpu", "sm_90a"}) {
    const DenseComparison comparison = compareWithDense(layer, Map::Forward, target, 64, DataType::BF16);
    for (const ComparedRows &one : comparison.rows)
      EXPECT_EQ(one.layer.us, one.dense.us);
    EXPECT_TRUE(comparison.slower().empty());
  }
}

TEST(DenseComparison, SlowerRowsAreRuns) {
  DenseComparison comparison;
  const double layer_us[] = {1, 3, 3, 1, 3};
  for (int64_t at = 0; at < 5; ++at)
    comparison.rows.push_back({int64_t{1} << at, {"", layer_us[at]}, {"", 2}});
  EXPECT_THAT(comparison.slower(), testing::ElementsAre(std::pair(2, 4), std::pair(16, 16)));
}

} // namespace
