// Schedules of kernels that compute several products of the same rows: what they fit into, and what counts
// how often in their cost.
#include "compiler/schedule/cpu_schedule.h"
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/staged.h"
#include "tests/schedule/staged_questions.h"

#include "algebras/constructions.h"
#include "algebras/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace compiler;
using namespace schedule_test;
using algebras::DataType;

algebras::Layer fusedLayer(const algebras::Fused &fused, DataType dtype = DataType::BF16) {
  algebras::Layer layer =
      algebras::makeLayer(algebras::Lift::rows(algebras::completeGraph(32)), 2048, 6144, dtype);
  layer.fused = fused;
  return layer;
}

TEST(FusedSchedules, SumsOfWeightsThatAreMultipliedTogetherFitTheRegisters) {
  for (const char *name : {"x86-64-v3", "x86-64-v4"})
    for (int64_t weights = 1; weights <= 8; ++weights) {
      const CpuLevel level = portableCpuLevel(name);
      const algebras::Layer layer = fusedLayer({.weights = weights}, DataType::F32);
      const auto candidates = candidatesOf(considerCpu(layer, level, WeightAccess::Packed));
      ASSERT_FALSE(candidates.empty()) << weights;
      for (const CpuSchedule &schedule : candidates) {
        const int64_t together = productsTogether(schedule, weights);
        const int64_t vectors = together * schedule.register_columns / level.lanes;
        EXPECT_GE(together, 1);
        EXPECT_LE(together, weights);
        EXPECT_LE(schedule.register_rows * vectors + vectors + 1, level.registers);
        // One more would not.
        const int64_t more = vectors / together * (together + 1);
        EXPECT_TRUE(together == weights || schedule.register_rows * more + more + 1 > level.registers);
      }
    }
}

TEST(FusedSchedules, RowsAreHeldOnceAndEachWeightIsReadOnTheCpu) {
  const algebras::Layer one = fusedLayer({}, DataType::F32), two = fusedLayer({.weights = 2}, DataType::F32),
                        stored = fusedLayer({.weights = 2, .results = 2}, DataType::F32);
  CpuSchedule schedule;
  schedule.register_rows = 4;
  schedule.register_columns = 16;
  schedule.rows = 64;
  schedule.lanes = 8;
  schedule.weights = WeightAccess::Copied;
  const Cost cost_of_one = cpuCost(one, schedule, 2048), cost_of_two = cpuCost(two, schedule, 2048);
  EXPECT_EQ(cost_of_two["rows"], cost_of_one["rows"]);
  EXPECT_EQ(cost_of_two["store"], cost_of_one["store"]);
  EXPECT_EQ(cost_of_two["weights"], 2 * cost_of_one["weights"]);
  EXPECT_GT(cost_of_two["multiply"], 1.9 * cost_of_one["multiply"]);
  EXPECT_LT(cost_of_two.total(), 2 * cost_of_one.total());
  EXPECT_EQ(cpuCost(stored, schedule, 2048)["store"], 2 * cost_of_one["store"]);
}

// Sums are kept in f32 where a layer is bf16.
TEST(FusedSchedules, WhatIsStoredAndReadHasTypesOfItsOwnOnTheCpu) {
  CpuSchedule schedule;
  schedule.register_rows = 4;
  schedule.register_columns = 32;
  schedule.rows = 64;
  schedule.lanes = 8;
  const auto stored = [&](const algebras::Fused &fused) {
    return cpuCost(fusedLayer(fused), schedule, 2048)["store"];
  };
  EXPECT_EQ(stored({.results = 3, .result_bytes = 2 + 4 + 4}), 5 * stored({}));
  EXPECT_EQ(stored({.results = 2, .result_bytes = 4}), stored({.results = 2}));
  EXPECT_EQ(stored({.element_operands = 2, .operand_bytes = 8}), stored({.element_operands = 4}));
}

TEST(FusedSchedules, WhereThreadsCopyAStageHasABlockOfEachWeights) {
  EXPECT_EQ(stageBytes(StagedSchedule::ofThreads(64, 128, 32), 3), 64 * 32 * 2 + 3 * 32 * 128 * 2);
  const algebras::Layer two = fusedLayer({.weights = 2});
  const StagedSchedule schedule = chooseThreads(two, 2048, DataType::BF16, /*vector=*/0, h200_machine);
  EXPECT_LE(schedule.stages * stageBytes(schedule, 2), ampere_shared_bytes);
  // What a thread's registers take for one product they may not for two.
  const StagedSchedule large = StagedSchedule::ofThreads(128, 256, 32, 2, 2, 4);
  EXPECT_EQ(whyIllegal(fusedLayer({}), large), "");
  EXPECT_NE(whyIllegal(two, large), "");
}

TEST(FusedSchedules, WhereTheEngineCopiesAStageHasABlockOfEachWeights) {
  const algebras::Layer two = fusedLayer({.weights = 2});
  const StagedSchedule schedule = chooseEngine(two, 2048, DataType::BF16, h200_machine);
  EXPECT_GE(schedule.stages, 2);
  EXPECT_LE(schedule.stages * stageBytes(schedule, 2) + stagingBytes(schedule, DataType::BF16) +
                reserved_shared_bytes,
            hopper_shared_bytes);
  EXPECT_EQ(stageBytes(schedule, 2) - stageBytes(schedule, 1),
            stageBytes(schedule, 3) - stageBytes(schedule, 2));
  for (const StagedSchedule &one : engineCandidates(two, DataType::BF16)) {
    EXPECT_EQ(one.split_k, 1);
    EXPECT_EQ(one.types, 1);
    EXPECT_EQ(one.stationary_groups, 0);
    EXPECT_LE(one.instructionWidth(), 224);
  }
  // Further results are written by threads that have rows of the sums.
  StagedSchedule across{.rows = 64, .columns = 128, .depth = 64};
  across.rows_on = RowSide::N;
  EXPECT_EQ(whyIllegal(two, across, DataType::BF16), "");
  EXPECT_NE(whyIllegal(fusedLayer({.results = 2}), across, DataType::BF16), "");
}

TEST(FusedSchedules, TakeLongerThanOneProductAndLessThanTheProductsApart) {
  for (const char *target : {"cpu", "sm_80", "sm_90a"}) {
    const DataType dtype = DataType::BF16;
    const auto best = [&](const algebras::Fused &fused) {
      return rankSchedules(fusedLayer(fused, dtype), target, 2048, dtype).legal.front().predicted();
    };
    const double one = best({}), two = best({.weights = 2});
    EXPECT_GT(two, one) << target;
    EXPECT_LT(two, 2 * one) << target;
    // Two products apart, and two matrices that a third kernel reads.
    EXPECT_GT(best({.element_operands = 2}), one) << target;
  }
}

TEST(FusedSchedules, TooManyWeightsAreRefusedWithAReason) {
  EXPECT_THROW(chooseEngine(fusedLayer({.weights = 64}), 2048, DataType::BF16, h200_machine),
               algebras::InputError);
  EXPECT_THROW(chooseThreads(fusedLayer({.weights = 64}), 2048, DataType::BF16, /*vector=*/0, h200_machine),
               algebras::InputError);
}

TEST(FusedSchedules, VectorReductionsComputeOneResult) {
  const ReductionSchedule schedule;
  for (const algebras::Fused &fused :
       {algebras::Fused{}, {.weights = 2}, {.element_operands = 1}, {.row_operands = 1}})
    EXPECT_EQ(whyIllegal(fusedLayer(fused), schedule), "");
  EXPECT_NE(whyIllegal(fusedLayer({.results = 2}), schedule), "");
}

// Sums and weights of every product are in registers at the same time, and the sums of all warps in shared
// memory.
TEST(FusedSchedules, VectorReductionsOfSeveralProductsNeedRoomForEach) {
  ReductionSchedule schedule;
  schedule.rows = 8;
  EXPECT_EQ(whyIllegal(fusedLayer({}), schedule), "");
  EXPECT_THAT(whyIllegal(fusedLayer({.weights = 4}), schedule), testing::HasSubstr("registers"));
  const ReductionSchedule whole = completed(fusedLayer({}), schedule);
  EXPECT_EQ(reductionSharedBytes(whole, 2), 2 * reductionSharedBytes(whole, 1));
}

// Two products together take longer than one, and less than two apart: a launch is saved, and rows are read
// once.
TEST(FusedSchedules, TwoVectorReductionsTogetherCostLessThanApart) {
  for (const char *target : {"sm_80", "sm_90a"})
    for (const int64_t m : {1, 8}) {
      const auto best = [&](const algebras::Fused &fused) {
        return bestReduction(rankSchedules(fusedLayer(fused), target, m, DataType::BF16))->predicted();
      };
      EXPECT_GT(best({.weights = 2}), best({})) << target;
      EXPECT_LT(best({.weights = 2}), 2 * best({})) << target;
    }
}

} // namespace
