// The cost of kernels whose blocks the copy engine moves, against a walk over every tile, step and piece of a
// row that they copy.
#include "algebras/expression.h"
#include "compiler/schedule/staged.h"
#include "tests/schedule/hopper_walk.h"
#include "tests/schedule/staged_questions.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace {

using namespace compiler;
using schedule_test::engineCost, schedule_test::Walk;

algebras::Layer layerOfGroups(const std::string &expression, int64_t k, int64_t n, int64_t width = 0,
                              bool slots = false) {
  const algebras::Algebra algebra = algebras::parseExpression(expression);
  const algebras::Lift lift = slots ? algebras::Lift::slots(algebra) : algebras::Lift::rows(algebra);
  algebras::Layer layer =
      algebras::makeLayer(lift, k * lift.inputGroups(), n * lift.outputGroups(), algebras::DataType::BF16);
  layer.row_types =
      width ? algebras::RowTypes::interval(lift.types(), width) : algebras::RowTypes::cyclic(lift.types());
  layer.validate();
  return layer;
}

struct Case {
  const char *expression;
  int64_t k, n, m;
  StagedSchedule schedule;
  int64_t width = 0;
  bool slots = false;
  bool gradient = false; // of X: k and n are those of dY and dX
};

StagedSchedule onSideN(int64_t rows, int64_t columns, int64_t depth, int64_t stages) {
  StagedSchedule schedule{rows, columns, depth, stages};
  schedule.rows_on = RowSide::N;
  return schedule;
}

const std::vector<Case> &cases() {
  static const std::vector<Case> all = {
      {"Q(4)", 64, 192, 2048, {64, 192, 64, 6}},
      {"Q(4)", 40, 104, 1001, {64, 48, 64, 8}},
      {"Q(7)", 80, 304, 4097, {128, 160, 32, 6}},
      {"Q(32)", 64, 24, 2048, {64, 32, 16, 16}},
      {"T(5)", 72, 200, 640, {192, 208, 64, 3}},
      {"Q(2)^3", 64, 128, 2050, {128, 96, 64, 6}},
      {"Q(3)", 48, 200, 1000, {64, 64, 16, 16}, 96},
      {"Q(2)*Q(3)", 24, 40, 7, {64, 64, 32, 16}},
      {"M(1)", 512, 640, 333, {128, 256, 64, 3}},
      {"Q(2)", 96, 80, 257, {128, 128, 64, 4}, 0, true},
      // Rows on the instructions' other side.
      {"Q(16)", 80, 384, 500, onSideN(32, 192, 64, 9)},
      {"Q(3)", 64, 64, 20, onSideN(8, 64, 32, 16)},
      // Clusters, with rows and columns for all of their blocks and for some.
      {"Q(4)",
       64,
       192,
       2048,
       {.rows = 64, .columns = 96, .depth = 64, .stages = 6, .cluster_rows = 2, .cluster_columns = 1}},
      {"Q(4)",
       40,
       104,
       1001,
       {.rows = 64, .columns = 48, .depth = 64, .stages = 8, .cluster_rows = 1, .cluster_columns = 2}},
      {"Q(7)",
       80,
       304,
       4097,
       {.rows = 128, .columns = 160, .depth = 32, .stages = 6, .cluster_rows = 2, .cluster_columns = 2}},
      {"Q(5)",
       72,
       200,
       2500,
       {.rows = 64, .columns = 64, .depth = 64, .stages = 3, .cluster_rows = 4, .cluster_columns = 1}},
      {"Q(3)",
       48,
       200,
       1000,
       {.rows = 64, .columns = 64, .depth = 16, .stages = 16, .cluster_rows = 1, .cluster_columns = 4},
       96},
      {"M(1)",
       512,
       640,
       333,
       {.rows = 128, .columns = 256, .depth = 64, .stages = 3, .cluster_rows = 2, .cluster_columns = 1}},
      // Warpgroups that take turns: stores hide behind products, or the other way round.
      {"Q(4)", 64, 192, 2048, {.rows = 64, .columns = 192, .depth = 64, .stages = 5, .ping_pong = 2}},
      {"Q(5)", 256, 128, 1600, {.rows = 128, .columns = 128, .depth = 64, .stages = 4, .ping_pong = 2}},
      {"Q(32)", 16, 24, 2048, {.rows = 64, .columns = 32, .depth = 16, .stages = 16, .ping_pong = 2}},
      // Blocks that divide the steps of a tile: with a rest and without, more of them than steps.
      {"Q(2)", 512, 192, 300, {.rows = 64, .columns = 192, .depth = 64, .stages = 4, .split_k = 2}},
      {"M(1)", 1000, 640, 333, {.rows = 128, .columns = 128, .depth = 32, .stages = 3, .split_k = 8}},
      {"Q(4)", 40, 104, 1001, {.rows = 64, .columns = 64, .depth = 32, .stages = 5, .split_k = 4}},
      // Several types in a tile: of segments of one length, of two, of as many as a tile has and of one less,
      // of runs, of more rows than a tile has.
      {"Q(8)", 64, 192, 512, {.rows = 64, .columns = 192, .depth = 64, .stages = 4, .types = 2}},
      {"Q(7)", 80, 304, 333, {.rows = 64, .columns = 112, .depth = 32, .stages = 3, .types = 4}},
      {"Q(4)", 48, 64, 250, {.rows = 64, .columns = 64, .depth = 16, .stages = 9, .types = 4}},
      {"Q(5)", 128, 96, 1603, {.rows = 128, .columns = 96, .depth = 64, .stages = 3, .types = 2}},
      {"Q(6)", 96, 80, 1000, {.rows = 64, .columns = 80, .depth = 32, .stages = 5, .types = 3}, 96},
      // Held rows: for a number of groups that divides that of all and one that does not.
      {"Q(8)", 64, 192, 4096, {.rows = 128, .columns = 96, .depth = 64, .stages = 3, .stationary_groups = 4}},
      {"Q(12)",
       80,
       112,
       700,
       {.rows = 64, .columns = 112, .depth = 32, .stages = 4, .types = 3, .stationary_groups = 5}},
      {"Q(6)",
       48,
       64,
       900,
       {.rows = 64, .columns = 64, .depth = 16, .stages = 6, .types = 2, .stationary_groups = 6},
       96},
      // Gradients: a weight matrix along its depth, in clusters, too; and tiles of long groups first, all by
      // one block each or divided, with fewer of them than clusters and with more.
      {"Q(4)", 192, 64, 2048, {64, 64, 64, 6}, 0, false, true},
      {"M(1)",
       512,
       640,
       333,
       {.rows = 128, .columns = 128, .depth = 64, .stages = 3, .cluster_rows = 2, .cluster_columns = 2},
       0,
       false,
       true},
      {"Q(5)",
       304,
       80,
       5 * 1024,
       {.rows = 128, .columns = 80, .depth = 32, .stages = 6, .cluster_rows = 2, .cluster_columns = 1},
       0,
       false,
       true},
      {"Q(16)", 384, 80, 512, onSideN(32, 128, 64, 9), 0, false, true},
      {"Q(32)",
       192,
       64,
       2048,
       {.rows = 64, .columns = 64, .depth = 64, .stages = 6, .longest_first = 1},
       0,
       false,
       true},
      {"Q(32)",
       192,
       64,
       2048,
       {.rows = 64, .columns = 64, .depth = 64, .stages = 6, .split_k = 4, .longest_first = 1},
       0,
       false,
       true},
      {"Q(16)",
       512,
       256,
       8192,
       {.rows = 128, .columns = 128, .depth = 64, .stages = 4, .split_k = 2, .longest_first = 1},
       0,
       false,
       true},
      // Sums that stay for all groups: of one block, of blocks that have equal and unequal shares of the
      // groups, of blocks that copy for each other.
      {"Q(4)",
       192,
       64,
       2048,
       {.rows = 64, .columns = 64, .stages = 6, .stationary_groups = 4},
       0,
       false,
       true},
      {"Q(32)",
       192,
       64,
       2048,
       {.rows = 64, .columns = 64, .stages = 8, .stationary_groups = 8, .split_k = 4},
       0,
       false,
       true},
      {"Q(5)",
       304,
       80,
       5 * 1024,
       {.rows = 128, .columns = 48, .depth = 32, .stages = 6, .stationary_groups = 3, .split_k = 2},
       0,
       false,
       true},
      {"Q(6)",
       72,
       200,
       6 * 300,
       {.rows = 64,
        .columns = 112,
        .depth = 64,
        .stages = 4,
        .cluster_rows = 2,
        .cluster_columns = 2,
        .stationary_groups = 6},
       0,
       false,
       true}};
  return all;
}

TEST(HopperWalk, FindsTheCost) {
  for (const Case &one : cases())
    for (const algebras::DataType output : {algebras::DataType::BF16, algebras::DataType::F32}) {
      const algebras::Layer layer =
          one.gradient ? layerOfGroups(one.expression, one.n, one.k, one.width, one.slots).transposed()
                       : layerOfGroups(one.expression, one.k, one.n, one.width, one.slots);
      const Cost cost = engineCost(layer, one.schedule, output, one.m);
      const Walk sum = schedule_test::walk(layer, one.schedule, output, one.m);
      SCOPED_TRACE(std::string(one.expression) + " " + toString(one.schedule) + " " + toString(output));
      EXPECT_EQ(cost.tiles, static_cast<double>(sum.tiles));
      EXPECT_EQ(cost.turns, static_cast<double>(sum.turns));
      // A processor takes in 66 KB in a microsecond, or what it has asked for every 1.5 us; one
      // slot is multiplied from.
      const double asked = sum.filled / sum.steps * static_cast<double>(one.schedule.stages - 1);
      const double takes_in = std::min(66e3, asked / 1.5);
      // Where a batch has fewer rows than types, or types of unequal supports unequally many rows, the cost
      // takes all types for alike.
      const double alike = one.m < 100 || one.m % layer.lift.types() ? 0.02 : 1e-9;
      EXPECT_NEAR(cost["loads"], std::max(sum.sent / 6.9e6, sum.received / 132 / takes_in),
                  alike * cost["loads"]);
      EXPECT_NEAR(cost["tensor"], sum.cycles / 132 / h200_machine.dense_clock, alike * cost["tensor"]);
      // 128 bytes in a cycle, of 1755 MHz.
      EXPECT_NEAR(cost["shared"], sum.port_bytes / 132 / (128 * 1755), alike * cost["shared"]);
      EXPECT_NEAR(cost["products"], 2 * sum.useful_macs / 790e6, alike * cost["products"]);
      // The busiest processor decides. Its tiles may differ from the average.
      const double last = cost.bound_by == "memory"   ? cost["memory"]
                          : cost.bound_by == "shared" ? cost["shared"] + cost["tail"]
                          : cost.bound_by == "loads"
                              ? std::max(sum.sent / 6.9e6, sum.busiest_received / takes_in)
                              : sum.busiest_cycles / h200_machine.dense_clock;
      EXPECT_NEAR(cost.bound() + cost["tail"], last, 0.2 * last);
    }
}

TEST(HopperWalk, WholeWavesOfEqualTilesHaveNoTail) {
  // 132 groups of one column block each, and one tile of rows in each of them.
  const algebras::Layer layer = layerOfGroups("D(132)", 64, 64, 0, true);
  const Cost full = engineCost(layer, {64, 64, 64, 8}, algebras::DataType::BF16, 64);
  EXPECT_EQ(full.tiles, 132);
  EXPECT_EQ(full["tail"], 0);
  const Cost two = engineCost(layer, {64, 64, 64, 8}, algebras::DataType::BF16, 65);
  EXPECT_EQ(std::ceil(two.waves), 2);
  EXPECT_EQ(two["tail"], 0);
}

TEST(HopperCost, WeightsBeyondTheCacheComeAgain) {
  // One type that multiplies 8192 x 8192: 134 MB, for 64 blocks of rows, of which 132 tiles hold three.
  const algebras::Layer dense = layerOfGroups("M(1)", 8192, 8192);
  const Cost cost = engineCost(dense, {128, 192, 64, 4}, algebras::DataType::BF16, 8192);
  const double once = 2.0 * 8192 * 8192 / 4.3e6;
  EXPECT_GT(cost["memory"], 4 * 3 * once);
  // A sixteenth of it stays in the cache.
  const algebras::Layer small = layerOfGroups("M(1)", 2048, 2048);
  EXPECT_NEAR(engineCost(small, {128, 192, 64, 4}, algebras::DataType::BF16, 2048)["memory"],
              3 * 2.0 * 2048 * 2048 / 4.3e6, 1e-9);
  // Intervals meet a type again after all others: its blocks are gone then.
  const algebras::Layer runs = layerOfGroups("Q(4)", 2048, 2048, 128),
                        phases = layerOfGroups("Q(4)", 2048, 2048);
  EXPECT_GT(engineCost(runs, {128, 192, 64, 4}, algebras::DataType::BF16, 8192)["memory"],
            1.5 * engineCost(phases, {128, 192, 64, 4}, algebras::DataType::BF16, 8192)["memory"]);
  // All runs of a group one after the other need its part of the weight matrix, 33 MB, at one time only, and
  // their own rows of X again with each of the other three groups.
  StagedSchedule groups{128, 192, 64, 4};
  groups.outer = OuterAxis::Groups;
  EXPECT_LT(engineCost(runs, groups, algebras::DataType::BF16, 8192)["memory"], 1.06 * (3 + 0.75) * once);
}

TEST(HopperCost, PiecesOfRowsShareSectors) {
  // 48 bytes of each group in a row of X, 80 in one of Y: with groups outside, each is fetched or written
  // together with half a sector that is another one's.
  const algebras::Layer layer = layerOfGroups("Q(4)", 24, 40);
  StagedSchedule types{64, 48, 32, 8}, groups = types;
  groups.outer = OuterAxis::Groups;
  const double rows = 4000, beyond = rows * 4 * (16 + 16) / 4.3e6;
  EXPECT_NEAR(engineCost(layer, groups, algebras::DataType::BF16, 4000)["memory"] -
                  engineCost(layer, types, algebras::DataType::BF16, 4000)["memory"],
              beyond, 1e-9);
  // Whole sectors are nobody else's.
  const algebras::Layer whole = layerOfGroups("Q(4)", 32, 48);
  EXPECT_EQ(engineCost(whole, groups, algebras::DataType::BF16, 4000)["memory"],
            engineCost(whole, types, algebras::DataType::BF16, 4000)["memory"]);
}

} // namespace
