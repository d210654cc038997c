// Which kernels go into a bundle for a GPU.
#include "compiler/pipeline/gpu_variants.h"

#include "algebras/constructions.h"
#include "compiler/schedule/layers_choice.h"
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/reduction_schedule.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>
#include <set>

namespace compiler {
void PrintTo(const GpuVariant &variant, std::ostream *stream) {
  *stream << variant.schedule << " for " << variant.best_for_rows.from << " to " << variant.best_for_rows.to;
}
} // namespace compiler

namespace {

using namespace compiler;
using algebras::DataType;

algebras::Layer layer() {
  return algebras::makeLayer(algebras::Lift::rows(algebras::completeGraph(32)), 2048, 6144, DataType::BF16);
}

std::string bestFor(int64_t m) {
  return toString(rankSchedules(layer(), "sm_90a", m, DataType::BF16).legal.front().schedule);
}

/// Those whose blocks the copy engine moves. Behind them comes one for operands that it cannot address.
std::vector<GpuVariant> variants(std::vector<int64_t> rows, int64_t most = 1, std::string schedule = "") {
  CompileOptions options;
  options.rows = rows.front();
  options.further_rows.assign(rows.begin() + 1, rows.end());
  options.variants = most;
  options.schedule = std::move(schedule);
  std::vector<GpuVariant> all = gpuVariants(layer(), Target::Sm90a, DataType::BF16, options);
  EXPECT_NE(all.back().schedule.find("vector=1"), std::string::npos) << all.back().schedule;
  all.pop_back();
  return all;
}

TEST(GpuVariants, AreTheBestOfEachNumberOfRows) {
  ASSERT_NE(bestFor(1), bestFor(2048));
  ASSERT_EQ(bestFor(2000), bestFor(2048));
  EXPECT_EQ(variants({2048}), (std::vector<GpuVariant>{{bestFor(2048), {2048, 2048}}}));
  // In the order asked for; neighbours share one, and a number asked for twice has one.
  EXPECT_EQ(variants({2048, 1, 2000, 1}),
            (std::vector<GpuVariant>{{bestFor(2048), {2000, 2048}}, {bestFor(1), {1, 1}}}));
}

// Where a batched kernel is ahead, rows at positions of their own still get a vector reduction.
TEST(GpuVariants, FewRowsAtAnyPositionsHaveAVectorReduction) {
  const algebras::Layer small =
      algebras::makeLayer(algebras::Lift::rows(algebras::completeGraph(4)), 256, 512, DataType::BF16);
  CompileOptions options;
  options.rows = 1;
  options.further_rows = {2048};
  const auto reductions = [&](const algebras::Layer &of) {
    const std::vector<GpuVariant> all = gpuVariants(of, Target::Sm90a, DataType::BF16, options);
    return std::ranges::count_if(all, [](const GpuVariant &one) {
      return isReduction(one.schedule) && one.best_for_rows.from == 1 && one.best_for_rows.to == 1;
    });
  };
  ASSERT_FALSE(isReduction(rankSchedules(small, "sm_90a", 1, DataType::BF16).legal.front().schedule));
  EXPECT_EQ(reductions(small), 0);
  options.row_lists = true;
  EXPECT_EQ(reductions(small), 1);
  // Only where it is ahead of what finds rows in a list, too, which many rows are not.
  algebras::Layer listed = layer();
  listed.row_types = algebras::RowTypes::explicitTypes(32);
  std::set<bool> seen;
  for (const int64_t rows : {1, 64, 256}) {
    options.further_rows = {2048};
    options.rows = rows;
    const std::vector<GpuVariant> all = gpuVariants(layer(), Target::Sm90a, DataType::BF16, options);
    const bool there =
        std::ranges::any_of(all, [](const GpuVariant &one) { return isReduction(one.schedule); });
    const double reduction =
                     bestReduction(rankSchedules(layer(), "sm_90a", rows, DataType::BF16))->predicted(),
                 list = rankSchedules(listed, "sm_90a", rows, DataType::BF16).legal.front().predicted();
    EXPECT_EQ(there, reduction < list) << rows;
    seen.insert(there);
  }
  EXPECT_EQ(seen.size(), 2u);
  options.rows = 1;
  // Where they are ahead by themselves none comes beside them, and gradients have none.
  const algebras::Layer ahead = algebras::makeLayer(
      algebras::Lift::rows(algebras::power(algebras::completeGraph(2), 2)), 768, 1536, DataType::BF16);
  const int64_t with_lists = reductions(ahead);
  options.row_lists = false;
  EXPECT_EQ(reductions(ahead), with_lists);
  EXPECT_GT(with_lists, 0);
  options.row_lists = true;
  options.map = algrt::Map::Dx;
  EXPECT_EQ(reductions(small), 0);
}

TEST(GpuVariants, OneRangeDoesNotSpanAnotherSchedule) {
  ASSERT_NE(bestFor(8192), bestFor(2048));
  ASSERT_NE(bestFor(8192), bestFor(1));
  const std::vector<GpuVariant> three = variants({2048, 8192, 1});
  ASSERT_EQ(three.size(), 3u);
  for (const GpuVariant &one : three)
    EXPECT_EQ(one.best_for_rows.from, one.best_for_rows.to);
}

TEST(GpuVariants, NextBestOnesDiffer) {
  const std::vector<GpuVariant> few = variants({2048, 1}, 3);
  std::set<std::string> schedules;
  for (const GpuVariant &one : few)
    schedules.insert(one.schedule);
  EXPECT_EQ(schedules.size(), few.size());
  EXPECT_EQ(few[0].schedule, bestFor(2048));
  EXPECT_EQ(few[1].schedule, bestFor(1));
  EXPECT_GE(few.size(), 3u);
  EXPECT_LE(few.size(), 6u);
  for (size_t i = 0; i < few.size(); ++i)
    EXPECT_EQ(few[i].among_its_kind == 1, i < 2) << few[i].schedule;
  for (const RankedSchedule &one : bestDifferent(rankSchedules(layer(), "sm_90a", 2048, DataType::BF16), 3))
    EXPECT_TRUE(schedules.count(toString(one.schedule))) << toString(one.schedule);
}

TEST(GpuVariants, AGivenScheduleIsTheOnlyOneOfItsKind) {
  EXPECT_EQ(variants({2048}, 1, "rows=64"), (std::vector<GpuVariant>{{"rows=64", {0, 0}}}));
}

// Each kind has one of its own for operands at any address, whichever was given first.
TEST(GpuVariants, GivenSchedulesOfBothKindsHaveOnesForAnyAddress) {
  CompileOptions options;
  options.schedule = "reduce=16,rows=4,columns=64,vector=8";
  options.further_schedules = {"rows=64", "rows=128"};
  const std::vector<GpuVariant> found = gpuVariants(layer(), Target::Sm90a, DataType::BF16, options);
  ASSERT_EQ(found.size(), 5);
  EXPECT_THAT(found[3].schedule,
              testing::AllOf(testing::HasSubstr("reduce=16"), testing::HasSubstr("vector=1")));
  EXPECT_THAT(found[4].schedule,
              testing::AllOf(testing::StartsWith("rows="), testing::HasSubstr("vector=1")));
}

TEST(GpuVariants, GivenSchedulesAreKernelsOfTheirMapAlone) {
  const auto schedules = [](algrt::Map map, algrt::Map scheduled) {
    CompileOptions options;
    options.map = map;
    options.scheduled_map = scheduled;
    options.schedule = "rows=64";
    options.further_schedules = {"rows=128", "rows=128,columns=32"};
    return gpuVariants(layer(), Target::Sm90a, DataType::BF16, options);
  };
  const std::vector<GpuVariant> given = {
      {"rows=64", {0, 0}}, {"rows=128", {0, 0}, 2}, {"rows=128,columns=32", {0, 0}, 3}};
  for (const algrt::Map map : {algrt::Map::Forward, algrt::Map::Dx, algrt::Map::Dw}) {
    std::vector<GpuVariant> own = schedules(map, map);
    ASSERT_EQ(own.size(), given.size() + 1) << algrt::name(map);
    EXPECT_NE(own.back().schedule.find("vector=1"), std::string::npos) << own.back().schedule;
    own.pop_back();
    EXPECT_EQ(own, given) << algrt::name(map);
    const algrt::Map other = map == algrt::Map::Forward ? algrt::Map::Dx : algrt::Map::Forward;
    for (const GpuVariant &one : schedules(map, other))
      EXPECT_EQ(std::find(given.begin(), given.end(), one), given.end()) << one.schedule;
  }
}

TEST(GpuVariants, LeaveToThreadsWhatTheEngineCannotAddress) {
  auto all = [](int64_t in, std::string schedule) {
    CompileOptions options;
    options.schedule = std::move(schedule);
    std::vector<std::string> schedules;
    for (const GpuVariant &one : gpuVariants(
             algebras::makeLayer(algebras::Lift::rows(algebras::completeGraph(4)), in, 256, DataType::BF16),
             Target::Sm90a, DataType::BF16, options))
      schedules.push_back(one.schedule);
    return schedules;
  };
  const std::vector<std::string> even = all(80, ""), odd = all(84, "");
  ASSERT_EQ(even.size(), 2u);
  EXPECT_NE(even[0].find("vector=4"), std::string::npos) << even[0];
  EXPECT_NE(even[1].find("vector=1"), std::string::npos) << even[1];
  ASSERT_EQ(odd.size(), 1u);
  EXPECT_NE(odd[0].find("vector=1"), std::string::npos) << odd[0];
  // A schedule of warps is for threads, whatever the engine could do.
  EXPECT_EQ(all(256, "rows=32,warps=2x2,vector=1").size(), 1u);
}

TEST(GpuVariants, OfThreadsThatCopyTakeOperandsAtAnyAddress) {
  auto last = [](const algebras::Layer &layer, std::string schedule) {
    CompileOptions options;
    options.schedule = std::move(schedule);
    const std::vector<GpuVariant> variants = gpuVariants(layer, Target::Sm80, DataType::F32, options);
    return std::pair(variants.size(), variants.back().schedule);
  };
  const auto [count, chosen] = last(layer(), "");
  EXPECT_EQ(count, 2u);
  EXPECT_NE(chosen.find("vector=1"), std::string::npos) << chosen;
  // The same tile, if single elements of it find registers; else one of their own.
  EXPECT_EQ(last(layer(), "rows=32,columns=64,depth=16"),
            std::pair(size_t{2}, std::string("rows=32,columns=64,depth=16,stages=0,warps=2x2,vector=1")));
  for (const char *wide : {"rows=32", "columns=192,depth=64,stages=2"})
    EXPECT_EQ(last(layer(), wide), std::pair(size_t{2}, chosen)) << wide;
  // One that takes any is enough.
  EXPECT_EQ(last(layer(), "vector=1").first, 1u);
  const algebras::Layer odd =
      algebras::makeLayer(algebras::Lift::rows(algebras::completeGraph(2)), 10, 6, DataType::BF16);
  EXPECT_EQ(last(odd, "").first, 1u);
}

// Vector reductions are the best for few rows: beside each is one that reads single elements, and beside the
// batched one a batched one of single elements, each for the rows of the one that it stands beside.
TEST(GpuVariants, OfVectorReductionsTakeOperandsAtAnyAddress) {
  const auto all = [](std::vector<int64_t> rows, std::string schedule = "", int64_t width = 128) {
    CompileOptions options;
    options.rows = rows.front();
    options.further_rows.assign(rows.begin() + 1, rows.end());
    options.schedule = std::move(schedule);
    return gpuVariants(algebras::makeLayer(algebras::Lift::rows(algebras::completeGraph(32)), 32 * width,
                                           96 * width, DataType::BF16),
                       Target::Sm80, DataType::BF16, options);
  };
  const std::vector<GpuVariant> two = all({1, 2048});
  ASSERT_EQ(two.size(), 4u);
  const auto is_single = [](const GpuVariant &one) {
    return one.schedule.find("vector=1") != std::string::npos;
  };
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(is_single(two[i]), i >= 2) << two[i].schedule;
    EXPECT_EQ(isReduction(two[i].schedule), i % 2 == 0) << two[i].schedule;
    EXPECT_EQ(two[i].best_for_rows.to, i % 2 == 0 ? 1 : 2048) << two[i].schedule;
  }
  // That one is the best of its vector for its rows.
  const algebras::Layer layer =
      algebras::makeLayer(algebras::Lift::rows(algebras::completeGraph(32)), 4096, 12288, DataType::BF16);
  const ReductionSchedule single = parseReduction(two[2].schedule);
  EXPECT_EQ(whyIllegal(layer, single), "");
  const auto cost = [&](const ReductionSchedule &schedule) {
    return reductionCost(projectionWork(layer, 1, DataType::BF16), schedule,
                         commonTerms(layer, std::min<int64_t>(1, schedule.rows)), machineOf("sm_80"))
        .total();
  };
  for (const Considered<ReductionSchedule> &one : considerReductions(layer, 1))
    if (!one.refusal)
      EXPECT_LE(cost(single), cost(one.schedule)) << toString(one.schedule);
  // Where all are reductions, so are those that take any operands; where they do already, there are no more.
  const std::vector<GpuVariant> few = all({1});
  ASSERT_EQ(few.size(), 2u);
  EXPECT_TRUE(isReduction(few[1].schedule) && is_single(few[1])) << few[1].schedule;
  EXPECT_EQ(all({1}, "", 75).size(), 1u);
  // A given one has the same threads.
  const std::vector<GpuVariant> given = all({1}, "reduce=16,rows=4,columns=64");
  ASSERT_EQ(given.size(), 2u);
  EXPECT_EQ(given[1].schedule, "reduce=16,rows=4,columns=8,vector=1");
  EXPECT_EQ(all({1}, "reduce=32,rows=4,columns=8,vector=1").size(), 1u);
}

// Of two layers: the cheapest of each number of rows, then the next ones that differ in more than their
// pipelines, and behind them one of single elements beside the vector reduction that is the best for its
// rows.
TEST(GpuVariants, OfTwoLayersAreTheBestThatDiffer) {
  algebras::Layer first = layer(), last = layer();
  std::swap(last.in, last.out);
  first.fused.weights = 2;
  const StagedChainedProblem problem{first, last, DataType::BF16};
  CompileOptions options;
  options.rows = 2048;
  options.further_rows = {4};
  EXPECT_EQ(chainedVariants(problem, Target::Sm90a, options).size(), 3u);
  options.variants = 3;
  const std::vector<GpuVariant> all = chainedVariants(problem, Target::Sm90a, options);
  ASSERT_EQ(all.size(), 7u);
  for (size_t place = 0; const int64_t rows : {2048, 4}) {
    const std::vector<LayersChoice> best = bestDifferent(rankLayers(problem, "sm_90a", {rows}), 3);
    ASSERT_EQ(best.size(), 3u);
    EXPECT_EQ(toString(cheapestOfLayers(problem, "sm_90a", {rows})->schedule), toString(best[0].schedule));
    EXPECT_EQ(all[place], (GpuVariant{toString(best[0].schedule), {rows, rows}}));
    for (size_t next = 1; next < 3; ++next) {
      EXPECT_LE(best[next - 1].cost.total(), best[next].cost.total());
      EXPECT_EQ(all[2 * place + next + 1],
                (GpuVariant{toString(best[next].schedule), {rows, rows}, static_cast<int64_t>(next) + 1}));
    }
    ++place;
  }
  // The second best of all schedules has another pipeline alone.
  const std::vector<LayersChoice> ranked = rankLayers(problem, "sm_90a", {2048});
  EXPECT_NE(toString(ranked[1].schedule), all[2].schedule);
  EXPECT_TRUE(isChainedReduction(all.back().schedule));
  EXPECT_NE(all.back().schedule.find("vector=1"), std::string::npos) << all.back().schedule;
}

} // namespace
