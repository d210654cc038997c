// Rows from a list in the model: how they spread over types, against draws, and what each part of a list
// costs.
#include "compiler/schedule/listed_rows.h"
#include "compiler/schedule/staged.h"
#include "tests/schedule/staged_questions.h"

#include "algebras/constructions.h"
#include "compiler/schedule/ranking.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace {

using namespace compiler;
using namespace schedule_test;
using algebras::DataType;

struct Mean {
  double blocks = 0, numbered = 0;
};

/// Of many batches whose rows are drawn.
Mean drawn(int64_t rows, int64_t types, int64_t height) {
  constexpr int batches = 4000;
  std::mt19937_64 random(static_cast<uint64_t>(rows * 1000 + types));
  Mean mean;
  for (int batch = 0; batch < batches; ++batch) {
    std::vector<int64_t> of_type(static_cast<size_t>(types), 0);
    for (int64_t row = 0; row < rows; ++row)
      ++of_type[random() % static_cast<uint64_t>(types)];
    const auto blocks_of = [&](int64_t count) { return (count + height - 1) / height; };
    for (const int64_t count : of_type)
      mean.blocks += static_cast<double>(blocks_of(count)) / batches;
    mean.numbered +=
        static_cast<double>(types * blocks_of(*std::max_element(of_type.begin(), of_type.end()))) / batches;
  }
  return mean;
}

TEST(ListedRows, SpreadAsDrawsDo) {
  for (const auto &[rows, types, height] : {std::tuple{1, 4, 16},
                                            {5, 4, 2},
                                            {7, 32, 16},
                                            {64, 4, 16},
                                            {100, 8, 16},
                                            {300, 3, 32},
                                            {1000, 32, 16},
                                            {48, 1, 16}}) {
    const ListedRows list(rows, types);
    const Mean mean = drawn(rows, types, height);
    EXPECT_NEAR(list.blocks(height), mean.blocks, 0.02 * mean.blocks) << rows << " of " << types;
    // The longest is a little shorter than of independent types, since all have the batch's rows together.
    EXPECT_NEAR(list.numberedBlocks(height), mean.numbered, 0.1 * mean.numbered) << rows << " of " << types;
    EXPECT_GE(list.numberedBlocks(height), list.blocks(height) * (1 - 1e-9));
  }
}

TEST(ListedRows, OfOneTypeAreABatch) {
  const ListedRows list(100, 1);
  EXPECT_DOUBLE_EQ(list.blocks(16), 7);
  EXPECT_DOUBLE_EQ(list.numberedBlocks(16), 7);
  EXPECT_DOUBLE_EQ(list.bytes(), 4 * (1 + 2 + 100));
  EXPECT_DOUBLE_EQ(ListedRows(1, 8).blocks(16), 1) << "one row is of one type";
  EXPECT_DOUBLE_EQ(ListedRows(1, 8).numberedBlocks(16), 8) << "that type's block, for every type";
}

TEST(ListedRows, TakeLongerToGroupTheMoreThereAre) {
  double before = h200_machine.launch_us;
  for (const int64_t rows : {1, 2000, 20000, 200000}) {
    const double time = groupingTime(ListedRows(rows, 32), h200_machine);
    EXPECT_GT(time, before);
    before = time;
  }
  // Types beyond what the device runs at a time take their turns.
  EXPECT_GT(groupingTime(ListedRows(2000, 400), h200_machine),
            groupingTime(ListedRows(2000, 200), h200_machine));
}

algebras::Layer layer(bool listed, int64_t q = 16) {
  algebras::Layer made =
      algebras::makeLayer(algebras::Lift::rows(algebras::completeGraph(q)), q * 128, q * 96, DataType::BF16);
  if (listed)
    made.row_types = algebras::RowTypes::explicitTypes(q);
  return made;
}

/// The same tiles, but of rows at one distance from each other.
ProjectionWork withoutList(const ProjectionWork &listed, double height) {
  ProjectionWork regular = listed;
  regular.list.reset();
  regular.segments = {{listed.list->blocks(height), height}};
  return regular;
}

// Each part of what a list is makes a schedule dearer, all else equal.
TEST(ListedSchedules, CostWhatTheirListsDo) {
  const StagedSchedule schedule = threadsSchedule("rows=32,columns=96,depth=32,stages=4,warps=1x2,vector=8");
  for (const GpuMachine &machine : {a100_machine, h200_machine})
    for (const int64_t m : {4, 512, 4096}) {
      const ProjectionWork listed = projectionWork(layer(true), m, DataType::BF16),
                           regular = withoutList(listed, 32);
      EXPECT_FALSE(projectionWork(layer(false), m, DataType::BF16).list);
      const Cost with = threadsCost(listed, schedule, DataType::BF16, machine),
                 without = threadsCost(regular, schedule, DataType::BF16, machine);
      ASSERT_DOUBLE_EQ(with.tiles, without.tiles);
      // The kernel that makes the list.
      EXPECT_DOUBLE_EQ(with["grouping"], groupingTime(*listed.list, machine));
      EXPECT_EQ(without["grouping"], 0);
      EXPECT_DOUBLE_EQ(with.total(),
                       with["launch"] + with["grouping"] + with.bound() + with["tail"] + with["unhidden"]);
      // The list itself, once.
      EXPECT_DOUBLE_EQ(with["memory"],
                       without["memory"] + listed.list->bytes() / machine.memory_bytes_per_us);
      // Looks at entries in each step, which take instructions and a wait.
      EXPECT_GT(with["issue"], 1.01 * without["issue"]);
      EXPECT_GT(with["latency"], 1.1 * without["latency"]);
      // Two waits for the list in each tile, and numbers without rows.
      EXPECT_GT(with["tile ends"], without["tile ends"]);
    }
}

// Entries come from the cache once in every tile, for X and for Y.
TEST(ListedSchedules, ReadEntriesFromTheCache) {
  const StagedSchedule schedule = threadsSchedule("rows=32,columns=96,depth=32,stages=4,warps=1x2,vector=8");
  const ProjectionWork listed = projectionWork(layer(true), 4096, DataType::BF16);
  ProjectionWork regular = withoutList(listed, 32);
  const double rows = 4096 / listed.list->blocks(32); // of X, as many bytes as there
  regular.segments = {{listed.list->blocks(32), rows}};
  const Cost with = threadsCost(listed, schedule, DataType::BF16, h200_machine),
             without = threadsCost(regular, schedule, DataType::BF16, h200_machine);
  ASSERT_DOUBLE_EQ(with.tiles, without.tiles);
  EXPECT_GT(with["loads"], without["loads"]);
  EXPECT_LT(with["loads"], 1.1 * without["loads"]);
}

// One row of one type has the tiles of that type, and as many numbers for every other one.
TEST(ListedSchedules, PassOverTilesWithoutRows) {
  const StagedSchedule schedule = threadsSchedule("rows=16,columns=96,depth=32,stages=4,warps=1x2,vector=8");
  const ProjectionWork one_of_many = projectionWork(layer(true), 1, DataType::BF16);
  ProjectionWork one_alone = one_of_many;
  one_alone.list.emplace(1, 1);
  const Cost many = threadsCost(one_of_many, schedule, DataType::BF16, a100_machine),
             alone = threadsCost(one_alone, schedule, DataType::BF16, a100_machine);
  ASSERT_DOUBLE_EQ(many.tiles, alone.tiles);
  const double empty = 15 * 16, cycles = 120; // types without the row times groups
  EXPECT_NEAR(many["tile ends"] - alone["tile ends"],
              empty * cycles / (a100_machine.multiprocessors * a100_machine.clock), 1e-9);
}

TEST(ListedSchedules, OfTheWeightsGradientReadTheListOfBothOperands) {
  const StagedSchedule schedule = threadsSchedule("rows=32,columns=96,depth=32,stages=4,warps=1x2,vector=8");
  const WeightGradientWork listed = weightGradientWork(layer(true), 512, DataType::BF16),
                           regular = weightGradientWork(layer(false), 512, DataType::BF16);
  const Cost with = threadsCost(listed, schedule, DataType::BF16, h200_machine),
             without = threadsCost(regular, schedule, DataType::BF16, h200_machine);
  EXPECT_DOUBLE_EQ(with["grouping"], groupingTime(*listed.list, h200_machine));
  EXPECT_DOUBLE_EQ(with["memory"],
                   without["memory"] + listed.list->bytes() / h200_machine.memory_bytes_per_us);
  EXPECT_EQ(with.tiles, without.tiles) << "all of dW, whatever the rows";
  // 32 rows of each type, drawn: more steps of 32 than one for each.
  EXPECT_DOUBLE_EQ(listed.steps(1, 32), listed.list->blocks(32) / 16);
  EXPECT_GT(listed.steps(1, 32), regular.steps(1, 32));
  EXPECT_EQ(listed.steps(16, 32), regular.steps(16, 32)) << "all types together are one list";
  EXPECT_GT(with["issue"], 1.05 * without["issue"]);
  EXPECT_GT(with["loads"], without["loads"]);
}

// Rankings say it, and their parts add up.
TEST(ListedSchedules, AreRankedWithTheirLists) {
  for (const char *target : {"sm_80", "sm_90a"})
    for (const algrt::Map map : {algrt::Map::Forward, algrt::Map::Dx, algrt::Map::Dw}) {
      const Ranking ranking = rankMap(layer(true), map, target, 512, DataType::BF16);
      for (const RankedSchedule &one : ranking.legal) {
        double sum = 0;
        for (const CostPart &part : one.cost.sum)
          sum += part.us;
        ASSERT_NEAR(sum, one.predicted(), 1e-9 * sum) << toString(one.schedule);
        ASSERT_EQ(one.cost.sum.back().name, "grouping");
      }
      EXPECT_GT(ranking.legal.front().predicted(), 2 * machineOf(target).launch_us) << "two launches";
    }
  EXPECT_NE(
      rankMap(layer(false), algrt::Map::Dw, "sm_80", 512, DataType::BF16).legal.front().cost.sum.back().name,
      "grouping");
}

} // namespace
