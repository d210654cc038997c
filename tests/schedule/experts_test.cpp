// What launches for all experts of a layer are predicted to take, beside the floors of the experts.
#include "compiler/schedule/experts.h"

#include "algebras/error.h"
#include "compiler/schedule/layers_choice.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/staged.h"
#include "compiler/schedule/work.h"
#include "runtime/gpu_kernel_abi.h"
#include "tests/schedule/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace compiler;
using algebras::DataType;
using testing::HasSubstr;

namespace {

TEST(Experts, HaveRowsAsEvenlyAsTheyCan) {
  for (const auto &[m, experts, count, rows] : {std::array<int64_t, 4>{2048, 64, 64, 32},
                                                {2049, 64, 64, 33},
                                                {5, 64, 5, 1},
                                                {7, 0, 1, 7},
                                                {7, 1, 1, 7}}) {
    const RowsOfNetworks networks(m, experts);
    EXPECT_EQ(networks.count, count) << m;
    EXPECT_EQ(networks.rows, rows) << m;
  }
}

// What one has more or less than others counts as that.
TEST(Experts, NeedWhatTheirOwnRowsNeed) {
  const TwoLayers layers("Q(8)", 256, 512, 256);
  for (const algebras::Layer *next : {static_cast<const algebras::Layer *>(nullptr), &layers.last}) {
    const auto floor = [&](int64_t m, int64_t experts) {
      return predictExperts(layers.first, next, "sm_90a", m, experts, DataType::BF16).floor_us;
    };
    EXPECT_DOUBLE_EQ(floor(65, 64), floor(2, 1) + 63 * floor(1, 1));
    EXPECT_DOUBLE_EQ(floor(11, 4), 3 * floor(3, 1) + floor(2, 1));
  }
  EXPECT_EQ(RowsOfNetworks(65, 64).total([](int64_t rows) { return rows; }), 65);
  EXPECT_EQ(RowsOfNetworks(5, 64).total([](int64_t rows) { return rows; }), 5);
}

// A launch of one expert is one of its network.
TEST(Experts, CostWhatTheyWouldAloneWhereThereIsOne) {
  const TwoLayers layers("Q(8)", 256, 512, 256);
  for (const int64_t m : {1, 7, 64}) {
    const RowsOfCall alone{m, /*placed=*/true}, one{m, /*placed=*/true, 1};
    EXPECT_EQ(cheapestOfLayers(layers.problem(), "sm_90a", alone)->cost.total(),
              cheapestOfLayers(layers.problem(), "sm_90a", one)->cost.total());
    const auto reduction = chooseReduction(layers.first, m, DataType::BF16, 0, h200_machine);
    ASSERT_TRUE(reduction);
    const LayersPrediction made = predictExperts(layers.first, nullptr, "sm_90a", m, 1, DataType::BF16);
    EXPECT_EQ(made.schedule, toString(*reduction));
  }
}

// Bytes of X, of Y and of the blocks that each expert's rows name, counted here.
TEST(Experts, MoveTheBytesOfEach) {
  const TwoLayers layers("Q(8)", 256, 512, 256);
  for (const auto &[m, experts] : {std::pair<int64_t, int64_t>{12, 3}, {64, 2}, {64, 64}}) {
    const int64_t rows = m / experts;
    std::set<std::pair<int64_t, int64_t>> blocks;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t group = 0; group < 8; ++group)
        for (const auto &term : layers.last.lift.terms(row % 8, group))
          blocks.emplace(term.weight_row, group);
    const double block = 32 * 64 * 2,
                 bytes = static_cast<double>(m) * (256 + 256) * 2 +
                         static_cast<double>(experts) * 3 * block * static_cast<double>(blocks.size());
    const LayersPrediction made =
        predictExperts(layers.first, &layers.last, "sm_90a", m, experts, DataType::BF16);
    EXPECT_NEAR(made.floor_us, bytes / h200_machine.memory_bytes_per_us, 1e-9) << m << ", " << experts;
    EXPECT_EQ(made.floor_by, "memory");
  }
}

// The published experts, 64 of them with 32 rows each: launches no longer count, but bytes do. A launch of
// its own for each would take more than twice as long for the small ones.
TEST(Experts, OfThePublishedShapesComeNearTheSumOfTheirFloors) {
  for (const auto &[in, hidden, apart] :
       {std::tuple<int64_t, int64_t, double>{2048, 768, 2.2}, {7168, 2048, 1.0}}) {
    SCOPED_TRACE(hidden);
    const TwoLayers layers("Q(32)", in, hidden, in);
    constexpr int64_t experts = 64, rows = 32, m = experts * rows;
    double predicted = 0, floor = 0;
    for (const algebras::Layer *layer : {&layers.first, &layers.last}) {
      const LayersPrediction made = predictExperts(*layer, nullptr, "sm_90a", m, experts, DataType::BF16);
      predicted += made.predicted_us;
      floor += made.floor_us;
    }
    const LayersPrediction one = predictLayers(layers.first, layers.last, "sm_90a", rows, DataType::BF16);
    EXPECT_NEAR(floor, experts * one.floor_us, 0.02 * floor);
    EXPECT_LT(predicted, 1.25 * floor);
    EXPECT_GT(experts * one.predicted_us, apart * predicted);
  }
}

// Weights of experts that have no rows are not read.
TEST(Experts, WithoutRowsAreFree) {
  const TwoLayers layers("Q(32)", 2048, 768, 2048);
  const auto of = [&](int64_t m, int64_t experts) {
    return predictExperts(layers.first, &layers.last, "sm_90a", m, experts, DataType::BF16).predicted_us;
  };
  EXPECT_EQ(of(8, 64), of(8, 8));
  EXPECT_LT(of(8, 64), of(64, 64));
}

TEST(Experts, AreComputedOneAfterAnotherOnACpu) {
  TwoLayers layers("Q(8)", 256, 512, 256);
  layers.first.dtype = layers.last.dtype = DataType::F32;
  const LayersPrediction one = predictLayers(layers.first, layers.last, "cpu", 16, DataType::F32),
                         all = predictExperts(layers.first, &layers.last, "cpu", 64, 4, DataType::F32);
  EXPECT_DOUBLE_EQ(all.predicted_us, 4 * one.predicted_us);
  EXPECT_DOUBLE_EQ(all.floor_us, 4 * one.floor_us);
  EXPECT_EQ(whyNoExperts(layers.first, "cpu"), "");
}

// With many rows each, products are for tensor cores, which find them in lists: the launch for these, both
// lists and all blocks of rows count.
TEST(Experts, WithManyRowsFindThemInLists) {
  const TwoLayers layers("Q(32)", 2048, 768, 2048);
  constexpr int64_t experts = 64;
  for (const char *target : {"sm_80", "sm_90a"}) {
    EXPECT_FALSE(chooseForExperts(layers.first, target, experts, experts, DataType::BF16).isListed());
    for (const int64_t rows : {256, 1024}) {
      const ExpertsSchedule best =
          chooseForExperts(layers.first, target, experts * rows, experts, DataType::BF16);
      ASSERT_TRUE(best.isListed()) << target << ", " << rows;
      const auto &schedule = std::get<StagedSchedule>(best.schedule);
      EXPECT_TRUE(schedule.isForThreads());
      const algebras::Layer listed = withListedRows(layers.first);
      const StagedProblem problem(listed, DataType::BF16, /*weight_gradient=*/false, experts);
      EXPECT_FALSE(refusal(problem, schedule));
      EXPECT_EQ(best.cost.total(), StagedCosts(problem, experts * rows, machineOf(target))(schedule).total());
      // The published shape is at least twice as fast as by vector reductions.
      const auto reduction =
          chooseReduction(layers.first, experts * rows, DataType::BF16, 0, machineOf(target), experts);
      const RowsOfNetworks networks(experts * rows, experts);
      const ProjectionWork work = projectionWork(layers.first, networks.rows, DataType::BF16);
      EXPECT_LT(
          2 * best.cost.total(),
          ReductionCosts(layers.first, networks.rows, work, machineOf(target), experts)(*reduction).total());
    }
  }
}

// What all networks move and multiply is what each does.
TEST(Experts, InListsHaveTheWorkOfEach) {
  const algebras::Layer layer = withListedRows(projection("Q(8)", 256, 512));
  const ProjectionWork one = projectionWork(layer, 40, DataType::BF16),
                       all = projectionWork(layer, RowsOfNetworks(200, 5), DataType::BF16);
  EXPECT_DOUBLE_EQ(all.macs, 5 * one.macs);
  EXPECT_DOUBLE_EQ(all.x_bytes + all.y_bytes + all.weight_bytes,
                   5 * (one.x_bytes + one.y_bytes + one.weight_bytes));
  EXPECT_DOUBLE_EQ(all.types, 40);
  EXPECT_DOUBLE_EQ(all.rows(), 5 * one.rows());
  ASSERT_TRUE(all.list);
  EXPECT_DOUBLE_EQ(all.list->rows(), 200);
  EXPECT_DOUBLE_EQ(all.list->types(), 40);
  EXPECT_DOUBLE_EQ(all.list->networks(), 5);
  // Each network is listed by blocks of its own, so that they are sooner done than one with as many types.
  EXPECT_LT(groupingTime(ListedRows(200'000, 8, 100), h200_machine),
            groupingTime(ListedRows(200'000, 800), h200_machine));
}

// More types of experts than a block of the kernel that lists them can count.
TEST(Experts, OfTooManyTypesAreNotListed) {
  const algebras::Layer layer = projection("Q(32)", 2048, 768);
  EXPECT_TRUE(chooseForExperts(layer, "sm_90a", 381 * 256, 381, DataType::BF16).isListed());
  EXPECT_FALSE(chooseForExperts(layer, "sm_90a", 382 * 256, 382, DataType::BF16).isListed());
  EXPECT_THAT(whyNoLists(layer, 382), HasSubstr("of 32 types of at most 381 experts, and there are 382"));
}

// Nor are those without types.
TEST(Experts, InTheSlotLiftAreNotListed) {
  const algebras::Layer layer =
      algebras::makeLayer(algebras::Lift::slots(algebras::parseExpression("Q(4)")), 256, 512, DataType::BF16);
  EXPECT_FALSE(chooseForExperts(layer, "sm_90a", 16384, 4, DataType::BF16).isListed());
}

// Tiles are numbered as if one type of one expert had all rows: with many of both, blocks are higher than
// they would be otherwise.
TEST(Experts, NumberTheirTiles) {
  const algebras::Layer layer = withListedRows(projection("Q(32)", 2048, 7168));
  const StagedProblem problem(layer, DataType::BF16, /*weight_gradient=*/false, 256);
  for (const int64_t m : {262144, 524288}) {
    const StagedSchedule best = chooseStaged(problem, Copies::Threads, m, h200_machine);
    const int64_t tiles =
        32 * 256 * ((m + best.rows - 1) / best.rows) * 32 * ((224 + best.columns - 1) / best.columns);
    EXPECT_LE(tiles, algrt_most_gpu_rows) << toString(best);
    EXPECT_TRUE(numbersTiles(problem, m, best));
  }
  StagedSchedule low = StagedSchedule::ofThreads();
  low.rows = 16;
  low.columns = 224;
  EXPECT_FALSE(numbersTiles(problem, 262144, low));
  EXPECT_TRUE(numbersTiles(StagedProblem(layer, DataType::BF16), 262144, low));
}

TEST(Experts, NeedBf16AndPositionsOnAGpu) {
  algebras::Layer layer = projection("Q(4)", 64, 64);
  EXPECT_EQ(whyNoExperts(layer, "sm_90a"), "");
  EXPECT_THAT(whyNoExperts(layer.transposed(), "sm_80"), HasSubstr("compute no gradients"));
  layer.row_types = algebras::RowTypes::explicitTypes(4);
  EXPECT_THAT(whyNoExperts(layer, "sm_90a"), HasSubstr("they are explicit"));
  EXPECT_THROW(predictExperts(layer, nullptr, "sm_90a", 8, 2, DataType::BF16), algebras::InputError);
  EXPECT_THAT(whyNoExperts(projection("Q(4)", 64, 64, DataType::F32), "sm_90a"), HasSubstr("these are f32"));
}

TEST(Experts, SchedulesAreRanked) {
  const TwoLayers layers("Q(32)", 2048, 768, 2048);
  for (const int64_t m : {64, 2048, 65536}) {
    const Ranking ranking = rankForExperts(layers.first, "sm_90a", m, 64, DataType::BF16);
    EXPECT_TRUE(std::ranges::is_sorted(ranking.legal, {}, &RankedSchedule::predicted));
    const ExpertsSchedule chosen = chooseForExperts(layers.first, "sm_90a", m, 64, DataType::BF16);
    EXPECT_EQ(toString(ranking.legal.front().schedule), toString(chosen.schedule));
    EXPECT_EQ(ranking.floor_us,
              predictExperts(layers.first, nullptr, "sm_90a", m, 64, DataType::BF16).floor_us);
    // Of both kinds, and each of these as a layer has them whose rows are listed.
    const Ranking listed =
        rankListedForExperts(withListedRows(layers.first), "sm_90a", m, 64, DataType::BF16);
    const auto is_reduction = [](const RankedSchedule &one) { return isReduction(one.schedule); };
    EXPECT_TRUE(std::ranges::any_of(ranking.legal, is_reduction));
    EXPECT_TRUE(std::ranges::none_of(listed.legal, is_reduction));
    const auto first_listed = std::ranges::find_if_not(ranking.legal, is_reduction);
    ASSERT_NE(first_listed, ranking.legal.end());
    EXPECT_EQ(toString(first_listed->schedule), toString(listed.legal.front().schedule));
    EXPECT_EQ(first_listed->predicted(), listed.legal.front().predicted());
  }
}

} // namespace
