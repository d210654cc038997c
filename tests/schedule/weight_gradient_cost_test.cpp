// What schedules of the weight matrix's gradient are counted to do, against a walk over every block of dW and
// its rows.
#include "algebras/expression.h"
#include "algebras/weight_terms.h"
#include "compiler/schedule/group_order.h"
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/staged.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace {

using namespace compiler;
using algebras::DataType;

algebras::Layer layerOfLift(const std::string &expression, int64_t in, int64_t out,
                            const std::string &lift = "rows") {
  const algebras::Algebra algebra = algebras::parseExpression(expression);
  return algebras::makeLayer(lift == "rows" ? algebras::Lift::rows(algebra) : algebras::Lift::slots(algebra),
                             in, out, DataType::BF16);
}

struct CountedBlocks {
  double tiles = 0, steps = 0;
};

/// Block by block, type by type; where every type has a part in a block, all rows at once.
CountedBlocks walkBlocks(const algebras::Layer &layer, const StagedSchedule &schedule, int64_t m) {
  const algebras::WeightTerms terms(layer.lift);
  const int64_t types = layer.lift.types();
  auto up = [](int64_t value, int64_t step) { return (value + step - 1) / step; };
  const int64_t tiles_of_block =
      up(layer.in.width(0), schedule.rows) * up(layer.out.width(0), schedule.columns);
  CountedBlocks counted;
  for (int64_t row = 0; row < terms.weightRows(); ++row)
    for (int64_t column = 0; column < terms.weightColumns(); ++column) {
      const auto of = terms.of(row, column);
      int64_t steps = 0;
      if (static_cast<int64_t>(of.size()) % types == 0)
        steps = static_cast<int64_t>(of.size()) / types * up(m, schedule.depth);
      else
        for (const algebras::WeightTerm &term : of)
          steps += up(m / types + (term.type < m % types ? 1 : 0), schedule.depth);
      counted.tiles += static_cast<double>(tiles_of_block);
      counted.steps += static_cast<double>(tiles_of_block * steps);
    }
  return counted;
}

TEST(WeightGradientCost, CountsTilesAndStepsOfEveryBlock) {
  const StagedSchedule schedules[] = {StagedSchedule::ofThreads(64, 96, 32, 3, 2, 2, 1),
                                      StagedSchedule::ofThreads(32, 32, 64, 2, 1, 2, 1),
                                      StagedSchedule::ofThreads(16, 48, 16, 4, 1, 1, 1)};
  const GpuMachine &machine = machineOf("sm_90a");
  for (const auto &[layer, m] : {std::pair{layerOfLift("Q(1)", 100, 60), int64_t{70}},
                                 {layerOfLift("Q(8)", 640, 1040), 512},
                                 {layerOfLift("Q(8)", 640, 1040), 3},
                                 {layerOfLift("path(3)", 300, 150), 96},
                                 {layerOfLift("T(4)", 256, 512), 200},
                                 {layerOfLift("Q(2)^2", 256, 512), 128},
                                 {layerOfLift("M(2)", 256, 512, "slots"), 150}})
    for (const StagedSchedule &schedule : schedules) {
      SCOPED_TRACE(layer.lift.algebra().name() + ", " + toString(schedule));
      const WeightGradientWork work = weightGradientWork(layer, m, DataType::F32);
      const Cost cost = threadsCost(work, schedule, DataType::F32, machine);
      const CountedBlocks counted = walkBlocks(layer, schedule, m);
      EXPECT_DOUBLE_EQ(cost.tiles, counted.tiles);
      // Every step multiplies a whole tile by its depth.
      const double of_step = static_cast<double>(schedule.rows * schedule.columns * schedule.depth);
      const double steps =
          cost["products"] * machine.multiprocessors * machine.clock * machine.macs_per_cycle / of_step;
      // Where blocks of one rank differ, the model takes their average, of which some have partly empty
      // steps.
      const bool alike = layer.lift.completeGraph() || layer.lift.kind() == algebras::Lift::Kind::Slots;
      EXPECT_NEAR(steps, counted.steps, (alike ? 1e-6 : 0.25) * counted.steps);
      EXPECT_DOUBLE_EQ(work.dw_bytes, 4 * static_cast<double>(layer.in.total()) *
                                          static_cast<double>(layer.lift.kind() == algebras::Lift::Kind::Slots
                                                                  ? layer.out.width(0)
                                                                  : layer.out.total()));
    }
}

TEST(WeightGradientCost, TheDiagonalComesFirst) {
  for (const int64_t q : {3, 4, 32, 256}) {
    const algebras::Lift lift =
        algebras::Lift::rows(algebras::parseExpression("Q(" + std::to_string(q) + ")"));
    const std::vector<double> types = typesByRank(lift);
    ASSERT_EQ(types.size(), static_cast<size_t>(q));
    EXPECT_EQ(types[0], static_cast<double>(q));
    EXPECT_EQ(types[1], 1);
    EXPECT_EQ(longRanks(types), 1) << q;
    EXPECT_EQ(whyNoWeightOrder(lift, 1), "");
    EXPECT_NE(whyNoWeightOrder(lift, q + 1), "");
  }
  // Of every row of blocks the most, the next, ...: rows of T(3) have 1, 2 and 3 types in the last of them.
  const algebras::Lift triangular = algebras::Lift::rows(algebras::parseExpression("T(3)"));
  const algebras::WeightTerms terms(triangular);
  std::vector<double> average(3);
  for (int64_t row = 0; row < 3; ++row) {
    std::vector<size_t> sizes;
    for (int64_t column = 0; column < 3; ++column)
      sizes.push_back(terms.of(row, column).size());
    std::sort(sizes.rbegin(), sizes.rend());
    for (size_t rank = 0; rank < 3; ++rank)
      average[rank] += static_cast<double>(sizes[rank]) / 3;
  }
  EXPECT_EQ(typesByRank(triangular), average);
  // Too many pairs to look at all: blocks of Q(32)^2 are on both diagonals, on one, or on none.
  const std::vector<double> power = typesByRank(algebras::Lift::rows(algebras::parseExpression("Q(32)^2")));
  ASSERT_EQ(power.size(), 1024u);
  EXPECT_EQ(power[0], 1024);
  EXPECT_EQ(power[1], 32);
  EXPECT_EQ(power[62], 32);
  EXPECT_EQ(power[63], 1);
  EXPECT_EQ(power[1023], 1);
}

// An order never costs more, and where few blocks of threads share many rows it saves what the last long tile
// takes.
TEST(WeightGradientCost, AnOrderSavesTheTail) {
  const algebras::Layer layer = layerOfLift("Q(8)", 1024, 1024);
  const WeightGradientWork work = weightGradientWork(layer, 4096, DataType::BF16); // which the cache holds
  StagedSchedule schedule = StagedSchedule::ofThreads(64, 96, 32, 3, 2, 2, 8);
  const double plain = threadsCost(work, schedule, DataType::BF16, machineOf("sm_80")).total();
  schedule.longest_first = 1;
  EXPECT_LT(threadsCost(work, schedule, DataType::BF16, machineOf("sm_80")).total(), plain);
}

TEST(WeightGradientRanking, IsSortedAndOfBothDevices) {
  const algebras::Layer layer = layerOfLift("Q(8)", 2048, 2048);
  for (const char *target : {"sm_80", "sm_90a"}) {
    const Ranking ranking = rankWeightGradient(layer, target, 8192, DataType::F32);
    ASSERT_FALSE(ranking.legal.empty());
    for (size_t i = 1; i < ranking.legal.size(); ++i)
      EXPECT_LE(ranking.legal[i - 1].predicted(), ranking.legal[i].predicted());
    EXPECT_GE(ranking.legal[0].predicted(), ranking.floor_us);
    const auto first_of_threads =
        std::find_if(ranking.legal.begin(), ranking.legal.end(),
                     [](const RankedSchedule &one) { return isForThreads(one.schedule); });
    ASSERT_NE(first_of_threads, ranking.legal.end());
    EXPECT_EQ(chooseStaged(StagedProblem(layer, DataType::F32, /*weight_gradient=*/true), Copies::Threads,
                           8192, machineOf(target)),
              std::get<StagedSchedule>(first_of_threads->schedule));
    // On Hopper both kinds are there, and blocks of 256 x 256 are for the copy engine.
    const bool hopper = target == std::string_view("sm_90a");
    EXPECT_EQ(first_of_threads == ranking.legal.begin(), !hopper);
  }
  EXPECT_THROW(rankWeightGradient(layer, "sm_70", 2048, DataType::F32), std::out_of_range);
}

// Of tiles of 64 features 8 would be there.
TEST(WeightGradientRanking, LeavesNarrowGroupsToThreads) {
  EXPECT_TRUE(isForThreads(
      rankWeightGradient(layerOfLift("Q(64)", 512, 512), "sm_90a", 2048, DataType::BF16).legal[0].schedule));
}

// X and dY beyond the cache come twice, once with the diagonal.
TEST(WeightGradientCost, RowsBeyondTheCacheComeAgain) {
  const StagedSchedule schedule = StagedSchedule::ofThreads(64, 96, 32, 3, 2, 2, 8);
  const GpuMachine &machine = machineOf("sm_80");
  const auto bytes = [&](const algebras::Layer &layer, int64_t m) {
    const WeightGradientWork work = weightGradientWork(layer, m, DataType::BF16);
    StagedSchedule here = schedule;
    here.longest_first = work.types_by_rank.size() > 1 ? 1 : 0;
    return threadsCost(work, here, DataType::BF16, machine)["memory"] * machine.memory_bytes_per_us -
           work.x_bytes - work.dy_bytes - work.dw_bytes;
  };
  const algebras::Layer layer = layerOfLift("Q(8)", 1024, 2048);
  const double operands = 2.0 * 8192 * (1024 + 2048);
  EXPECT_NEAR(bytes(layer, 8192), operands - machine.cache_bytes, 1);
  EXPECT_NEAR(bytes(layer, 2048), 0, 1);
  EXPECT_NEAR(bytes(layerOfLift("Q(1)", 1024, 2048), 8192), 0, 1); // there is one block
}

// Where tensor maps cannot address groups, threads copy.
TEST(WeightGradientRanking, LeavesOddWidthsToThreads) {
  for (const algebras::Layer &layer :
       {layerOfLift("Q(8)", 8 * 20, 8 * 24), layerOfLift("Q(8)", 8 * 24, 8 * 20)})
    for (const RankedSchedule &one : rankWeightGradient(layer, "sm_90a", 512, DataType::BF16).legal)
      ASSERT_TRUE(isForThreads(one.schedule)) << toString(one.schedule);
}

} // namespace
