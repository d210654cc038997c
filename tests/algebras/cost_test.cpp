// Every cost formula against a direct sum over terms.
#include "algebras/cost/projection.h"
#include "algebras/cost/report.h"
#include "algebras/cost/screening.h"
#include "algebras/error.h"
#include "algebras/expression.h"
#include "tests/algebras/random_algebra.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <numeric>
#include <set>

namespace {

using namespace algebras;
using namespace algebras::cost;

Groups randomGroups(std::mt19937 &random, int64_t count) {
  std::vector<int64_t> widths(count);
  for (int64_t &width : widths)
    width = 1 + static_cast<int64_t>(random() % 9);
  return Groups::explicitWidths(widths);
}

// One multiplication at a time: feature a of group k times W[a, b] for feature b of group j.
int64_t countMacs(const Lift &lift, const Groups &in, const Groups &out, int64_t type) {
  int64_t count = 0;
  for (int64_t group = 0; group < lift.outputGroups(); ++group)
    for (const BlockTerm &term : lift.terms(type, group))
      for (int64_t a = 0; a < in.width(term.input_group); ++a)
        for (int64_t b = 0; b < out.width(group); ++b)
          ++count;
  return count;
}

TEST(Cost, RowAndBatchMacsAreTheSumOverTerms) {
  std::mt19937 random(16);
  for (int round = 0; round < 30; ++round) {
    Lift lift =
        Lift::rows(round % 3 ? testing_support::randomAlgebra(random, 20) : completeGraph(1 + round / 3));
    SCOPED_TRACE(lift.algebra().expression());
    Groups in = randomGroups(random, lift.inputGroups()), out = randomGroups(random, lift.outputGroups());
    std::vector<int64_t> all = allRowMacs(lift, in, out), rows(lift.types());
    int64_t batch = 0;
    for (int64_t type = 0; type < lift.types(); ++type) {
      rows[type] = static_cast<int64_t>(random() % 5);
      int64_t expected = countMacs(lift, in, out, type);
      EXPECT_EQ(rowMacs(lift, in, out, type), expected);
      EXPECT_EQ(all[type], expected);
      if (lift.completeGraph())
        EXPECT_EQ(completeGraphRowMacs(in, out, type), expected);
      // Read backwards it has the same products.
      EXPECT_EQ(rowMacs(lift.transposed(), out, in, type), expected);
      EXPECT_EQ(allRowMacs(lift.transposed(), out, in)[type], expected);
      batch += rows[type] * expected;
    }
    EXPECT_EQ(batchMacs(lift, in, out, rows), batch);
  }
}

TEST(Cost, Fractions) {
  for (int64_t q : {1, 2, 3, 4, 32, 100}) {
    Lift lift = Lift::rows(completeGraph(q));
    EXPECT_EQ(equalGroupFraction(lift), rho(q));
    Groups in = Groups::equal(q, 3), out = Groups::equal(q, 5);
    EXPECT_EQ(Rational(rowMacs(lift, in, out, 0), in.total() * out.total()), rho(q));
  }
  EXPECT_EQ(equalGroupFraction(Lift::rows(parseExpression("Q(2)^2"))), Rational(9, 16));
  EXPECT_EQ(equalGroupFraction(Lift::rows(parseExpression("Q(8)*M(4)"))), rho(8));
  EXPECT_EQ(equalGroupFraction(Lift::slots(parseExpression("D(4)"))), Rational(1, 4));
  EXPECT_EQ(trainingMacs(5), 15);
}

TEST(Cost, Screening) {
  LeafMinimum leaf;
  EXPECT_EQ(largestEfficientGroups(2048, 2048, 2048, leaf), 16);
  EXPECT_EQ(largestEfficientGroups(4096, 4096, 4096, leaf), 32);
  EXPECT_EQ(largestEfficientGroups(1, 4096, 4096, leaf), 0);
  EXPECT_EQ(breakEvenRate(rho(4), Rational(1, 8)), Rational(7, 16) / Rational(7, 8));
  EXPECT_EQ(breakEvenRate(rho(32), Rational(0)), rho(32));
  EXPECT_THROW(largestEfficientGroups(1, 1, 1, LeafMinimum{0, 1, 1}), InputError);
  EXPECT_THROW(breakEvenRate(rho(2), Rational(1)), InputError);
}

TEST(Cost, PaddedMacsCountWholeTiles) {
  std::mt19937 random(18);
  for (int round = 0; round < 20; ++round) {
    Lift lift = Lift::rows(testing_support::randomAlgebra(random, 16));
    Groups in = randomGroups(random, lift.inputGroups()), out = randomGroups(random, lift.outputGroups());
    std::vector<int64_t> rows(lift.types());
    for (int64_t &count : rows)
      count = static_cast<int64_t>(random() % 7);
    Tile tile{1 + static_cast<int64_t>(random() % 4), 1 + static_cast<int64_t>(random() % 4),
              1 + static_cast<int64_t>(random() % 4)};
    int64_t expected = 0;
    auto tiles = [](int64_t size, int64_t tile) {
      int64_t count = 0;
      for (int64_t covered = 0; covered < size; covered += tile)
        ++count;
      return count;
    };
    for (int64_t type = 0; type < lift.types(); ++type)
      for (int64_t group = 0; group < lift.outputGroups(); ++group)
        for (const BlockTerm &term : lift.terms(type, group))
          expected += tiles(rows[type], tile.rows) * tiles(out.width(group), tile.columns) *
                      tiles(in.width(term.input_group), tile.depth) * tile.rows * tile.columns * tile.depth;
    EXPECT_EQ(paddedMacs(lift, in, out, rows, tile), expected);
    EXPECT_EQ(paddedMacs(lift, in, out, rows, Tile{1, 1, 1}), batchMacs(lift, in, out, rows));
  }
}

TEST(Cost, ReachIsTheUnionOverPresentTypes) {
  std::mt19937 random(19);
  for (int round = 0; round < 30; ++round) {
    Algebra algebra = testing_support::randomAlgebra(random, 20);
    Lift lift = round % 4 ? Lift::rows(algebra) : Lift::slots(algebra);
    bool is_rows = lift.kind() == Lift::Kind::Rows;
    Groups in = is_rows ? randomGroups(random, lift.inputGroups()) : Groups::equal(lift.inputGroups(), 2);
    Groups out = is_rows ? randomGroups(random, lift.outputGroups()) : Groups::equal(lift.outputGroups(), 3);
    std::vector<int64_t> rows(lift.types());
    for (int64_t &count : rows)
      count = static_cast<int64_t>(random() % 2);
    std::set<std::pair<int64_t, int64_t>> live, reached;
    for (int64_t type = 0; type < lift.types(); ++type)
      for (int64_t group = 0; group < lift.outputGroups(); ++group)
        for (const BlockTerm &term : lift.terms(type, group)) {
          std::pair<int64_t, int64_t> block{term.weight_row, is_rows ? group : 0};
          live.insert(block);
          if (rows[type] > 0)
            reached.insert(block);
        }
    auto size = [&](const auto &blocks) {
      int64_t sum = 0;
      for (auto [row, column] : blocks)
        sum += in.width(row) * out.width(column);
      return sum;
    };
    Reach result = reach(lift, in, out, rows);
    EXPECT_EQ(result.blocks, lift.weightBlocks());
    EXPECT_EQ(result.live_blocks, static_cast<int64_t>(live.size()));
    EXPECT_EQ(result.live_blocks, lift.liveBlocks());
    EXPECT_EQ(result.reached_blocks, static_cast<int64_t>(reached.size()));
    EXPECT_EQ(result.live_parameters, size(live));
    EXPECT_EQ(result.reached_parameters, size(reached));
    std::vector<WeightBlock> expected;
    for (auto [row, column] : live)
      if (!reached.contains({row, column}))
        expected.push_back({row, column});
    EXPECT_EQ(unreachedBlocks(lift, rows), expected);
  }
}

TEST(Cost, ReportOfTheExample) {
  Layer layer = makeLayer(Lift::rows(parseExpression("Q(32)")), 2048, 6144, DataType::BF16);
  CostReport report = costReport(layer, 2048);
  EXPECT_EQ(report.dense_macs, int64_t{2048} * 2048 * 6144);
  EXPECT_EQ(Rational(report.active_macs), rho(32) * Rational(report.dense_macs));
  EXPECT_EQ(report.fraction, Rational(63, 1024));
  EXPECT_EQ(report.reach.reached_parameters, 2048 * 6144);
  EXPECT_TRUE(report.unreached.empty());
  EXPECT_EQ(report.rows_of_type, std::vector<int64_t>(32, 64));
  EXPECT_EQ(report.padded_macs, 2 * report.active_macs * 256 / 192); // 64 rows in 128, 192 columns in 256
  nlohmann::json printed = toJson(report);
  EXPECT_EQ(printed["fraction_exact"], "63/1024");
  // Ten rows from position 30 reach types 30, 31, 0..7: 22 types' off-diagonal blocks are never read.
  report = costReport(layer, 10, 30);
  EXPECT_EQ(report.reach.live_blocks - report.reach.reached_blocks, 22 * 31);
  EXPECT_EQ(report.unreached.front(), (WeightBlock{8, 0}));
}

TEST(Cost, IncompleteGraphsSaySo) {
  CostReport report = costReport(makeLayer(Lift::rows(parseExpression("path(4)")), 16, 32), 8);
  EXPECT_FALSE(report.weight_identity_is_identity);
  EXPECT_EQ(report.reach.live_blocks, 7);
  EXPECT_EQ(report.reach.blocks, 16);
  EXPECT_EQ(report.reach.live_parameters, 7 * 4 * 8);
}

// Sums over more terms than anybody wants to wait for are refused at once; a complete graph needs no sum.
TEST(Cost, LargeAlgebras) {
  auto report = [](const char *expression, int64_t width) {
    return costReport(makeLayer(Lift::rows(parseExpression(expression)), width, width), 1);
  };
  EXPECT_THROW(report("Q(2)^17", 1 << 17), InputError);
  EXPECT_THROW(report("D(100000)", 100000), InputError);
  // Terms of graphs are looked at one by one, those of products factor by factor.
  EXPECT_THROW(report("path(9000)", 9000), InputError);
  CostReport power = report("Q(2)^13", 8192);
  EXPECT_EQ(power.terms, 13060694016); // 6^13, of which each type has 3^13
  EXPECT_EQ(power.row_macs, std::vector<int64_t>(8192, 1594323));
  EXPECT_EQ(power.reach.reached_blocks, 1594323);
  CostReport triangular = report("T(2000)*M(2)", 8000);
  EXPECT_EQ(triangular.row_macs[1], int64_t{2 * 2} * 2 * 2 * (1999 * 2000 / 2));
  CostReport large = report("Q(4000)", 8000);
  EXPECT_EQ(large.row_macs[7], int64_t{2 * 2} * (2 * 4000 - 1));
  EXPECT_EQ(large.padded_macs, int64_t{128} * 128 * 2 * (2 * 4000 - 1));
  EXPECT_EQ(large.reach.reached_blocks, 2 * 4000 - 1);
}

TEST(Cost, ExplicitSchedulesAndErrors) {
  Layer layer = makeLayer(Lift::rows(parseExpression("Q(4)")), 16, 16);
  EXPECT_THROW(costReport(layer, 0), InputError);
  EXPECT_THROW(costReport(layer, 4, -1), InputError);
  EXPECT_THROW(costReport(layer, INT64_MAX), InputError);
  layer.row_types = RowTypes::explicitTypes(4);
  EXPECT_EQ(costReport(layer, 6).rows_of_type, (std::vector<int64_t>{2, 2, 1, 1}));
  CostOptions options;
  options.rows_of_type = {6, 0, 0, 0};
  EXPECT_EQ(costReport(layer, 6, 0, options).reach.reached_blocks, 7);
  options.rows_of_type = {5, 0, 0, 0};
  EXPECT_THROW(costReport(layer, 6, 0, options), InputError);
  options = {};
  options.tile.rows = 0;
  EXPECT_THROW(costReport(layer, 6, 0, options), InputError);
}

} // namespace
