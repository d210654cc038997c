// Rankings of schedules: complete, in order, with parts that add up.
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/reduction_schedule.h"

#include "algebras/error.h"
#include "algebras/expression.h"
#include "compiler/schedule/cpu_gradient_schedule.h"
#include "compiler/schedule/cpu_prediction.h"
#include "compiler/schedule/host_level.h"
#include "compiler/schedule/staged.h"
#include "tests/schedule/layers.h"
#include "tests/schedule/staged_questions.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <set>

namespace {

using namespace compiler;
using namespace schedule_test;
using algebras::DataType;

void expectSound(const Ranking &ranking) {
  ASSERT_FALSE(ranking.legal.empty());
  double before = 0;
  for (const RankedSchedule &one : ranking.legal) {
    EXPECT_GE(one.predicted(), before) << toString(one.schedule);
    before = one.predicted();
    double sum = 0, longest = 0;
    bool bound = false;
    for (const CostPart &part : one.cost.sum) {
      EXPECT_GE(part.us, 0) << toString(one.schedule) << " " << part.name;
      sum += part.us;
    }
    for (const CostPart &part : one.cost.busy) {
      longest = std::max(longest, part.us);
      bound |= part.name == one.cost.bound_by;
    }
    EXPECT_NEAR(sum, one.predicted(), 1e-9 * one.predicted()) << toString(one.schedule);
    EXPECT_TRUE(bound) << one.cost.bound_by;
    EXPECT_GE(one.predicted(), longest) << toString(one.schedule);
    double arithmetic = 0;
    for (const CostPart &part : one.cost.arithmetic)
      arithmetic += part.us;
    if (!isForThreads(one.schedule) && !isReduction(one.schedule) && ranking.target == "sm_90a") {
      EXPECT_NEAR(arithmetic, one.cost.busy.back().us, 1e-9 * arithmetic) << toString(one.schedule);
    }
  }
}

TEST(Ranking, OfHopperIsComplete) {
  const algebras::Layer layer = projection("Q(32)", 2560, 9728); // groups of 80 and 304
  const Ranking ranking = rankSchedules(layer, "sm_90a", 2048, DataType::BF16);
  expectSound(ranking);
  std::set<std::string> seen, all, clusters;
  std::set<int64_t> splits;
  for (const RankedSchedule &one : ranking.legal) {
    const StagedSchedule schedule = std::get<StagedSchedule>(one.schedule);
    EXPECT_EQ(whyIllegal(layer, schedule, DataType::BF16), "");
    EXPECT_NEAR(one.predicted(), engineCost(layer, schedule, DataType::BF16, 2048).total(), 1e-9);
    EXPECT_GE(one.predicted(), ranking.floor_us);
    StagedSchedule tile = schedule;
    tile.stages = 0;
    tile.cluster_rows = tile.cluster_columns = tile.split_k = 1;
    seen.insert(toString(tile));
    clusters.insert(fmt::format("{}x{}", schedule.cluster_rows, schedule.cluster_columns));
    splits.insert(schedule.split_k);
    EXPECT_TRUE(all.insert(toString(one.schedule)).second) << toString(one.schedule);
  }
  // Groups of 304 are 2 blocks of columns and more, but not always 4.
  EXPECT_EQ(clusters, (std::set<std::string>{"1x1", "2x1", "4x1", "1x2", "1x4", "2x2"}));
  EXPECT_EQ(splits, (std::set<int64_t>{1, 2, 4, 8}));
  for (const RefusedSchedule &one : ranking.refused) {
    const StagedSchedule schedule = std::get<StagedSchedule>(one.schedule);
    EXPECT_FALSE(one.refusal.reason.empty());
    // What is not illegal is pointless, and says so.
    EXPECT_EQ(whyIllegal(layer, schedule, DataType::BF16).empty(),
              one.refusal.kind == "wider than a group" || one.refusal.kind == "deeper than a group")
        << toString(one.schedule) << ": " << one.refusal.reason;
    StagedSchedule tile = schedule;
    tile.stages = 0;
    tile.cluster_rows = tile.cluster_columns = tile.split_k = 1;
    seen.insert(toString(tile));
    EXPECT_TRUE(all.insert(toString(one.schedule)).second) << toString(one.schedule);
  }
  // With rows on side M, 1 to 4 warpgroups of one type, 2 to 4 of as many types and 4 of two, 16 to 256
  // columns by 16, rows held not at all or for 2, 4, 8, 16 or 32 groups; on side N, 8 numbers of rows and 1
  // to 4 warpgroups; three depths, two orders of tiles; all texts differ.
  // And tiles of one or two warpgroups of one type by turns.
  EXPECT_EQ(seen.size(), ((4u + 3 + 1) * 16 * 6 + 2 * 16 + 8 * (4 + 2)) * 3 * 2);
  EXPECT_EQ(ranking.legal.size() + ranking.refused.size(), all.size());
}

TEST(Ranking, HoldsRowsForNoMoreGroupsThanThereAre) {
  auto groups = [](const std::string &expression) {
    std::set<int64_t> seen;
    for (const RankedSchedule &one :
         rankSchedules(projection(expression, 1536, 1536), "sm_90a", 512, DataType::BF16).legal)
      seen.insert(std::get<StagedSchedule>(one.schedule).stationary_groups);
    return seen;
  };
  EXPECT_THAT(groups("Q(16)"), testing::ElementsAre(0, 2, 4, 8, 16));
  EXPECT_THAT(groups("Q(3)"), testing::ElementsAre(0, 2));
  EXPECT_THAT(groups("path(4)"), testing::ElementsAre(0));
}

TEST(Ranking, LetsOnlyTypesOfCompleteGraphsShareTiles) {
  auto types = [](const std::string &expression) {
    std::set<int64_t> seen;
    for (const RankedSchedule &one :
         rankSchedules(projection(expression, 1536, 1536), "sm_90a", 512, DataType::BF16).legal)
      seen.insert(std::get<StagedSchedule>(one.schedule).types);
    return seen;
  };
  EXPECT_THAT(types("Q(8)"), testing::ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(types("Q(3)"), testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(types("Q(2)^2"), testing::ElementsAre(1));
  EXPECT_THAT(types("T(4)"), testing::ElementsAre(1));
}

TEST(Ranking, ChoosesWhatTheCompilerChooses) {
  const algebras::Layer layer = projection("Q(16)", 2048, 768);
  for (const int64_t m : {1, 100, 2048, 30000})
    for (const DataType type : {DataType::BF16, DataType::F32})
      EXPECT_EQ(rankSchedules(layer, "sm_90a", m, type).legal.front().schedule,
                Schedule(chooseEngine(layer, m, type, h200_machine)));
}

TEST(Ranking, LooksThroughMatrixFactors) {
  const Ranking fine = rankSchedules(projection("Q(8)*M(4)", 2048, 2048), "sm_90a", 512, DataType::BF16);
  const Ranking coarse = rankSchedules(projection("Q(8)", 2048, 2048), "sm_90a", 512, DataType::BF16);
  ASSERT_EQ(fine.legal.size(), coarse.legal.size());
  EXPECT_EQ(fine.legal.front().schedule, coarse.legal.front().schedule);
  EXPECT_DOUBLE_EQ(fine.legal.front().predicted(), coarse.legal.front().predicted());
}

TEST(Ranking, OfTheCpuAddsUp) {
  for (const DataType type : {DataType::F32, DataType::BF16})
    for (const int64_t m : {1, 7, 2048})
      expectSound(rankSchedules(projection("Q(4)", 400, 304, type), "cpu", m, type));
  const Ranking ranking =
      rankSchedules(projection("Q(2)", 4096, 304, DataType::F32), "cpu", 100, DataType::F32);
  std::set<std::string> seen, kinds;
  for (const RankedSchedule &one : ranking.legal)
    seen.insert(toString(one.schedule));
  for (const RefusedSchedule &one : ranking.refused) {
    EXPECT_FALSE(one.refusal.reason.empty());
    seen.insert(toString(one.schedule));
    kinds.insert(one.refusal.kind);
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"few sums", "registers", "types",
                                          "rows of a weight matrix in place", "cache"}));
  // Three ways to read the weight matrix, three numbers of types, 4 x 27 register tiles, 6 numbers of blocks
  // of rows; some are of as many rows, but then of other register tiles.
  EXPECT_EQ(seen.size(), 3u * 3 * 4 * 27 * 6);
  EXPECT_EQ(ranking.legal.size() + ranking.refused.size(), seen.size());
}

// It begins with what kernels are compiled with, and the prediction beside measured times is of that: what
// the cores of the ranking do while none of them waits.
TEST(Ranking, OfTheWeightsGradientOnACpuBeginsWithTheScheduleThatIsChosen) {
  for (const char *algebra : {"Q(4)", "T(3)"})
    for (DataType type : {DataType::F32, DataType::BF16})
      for (int64_t m : {1, 100, 2048}) {
        const algebras::Layer layer = projection(algebra, 480, 312, type);
        const Ranking ranking = rankWeightGradient(layer, "cpu", m, type);
        expectSound(ranking);
        const RankedSchedule &best = ranking.legal.front();
        EXPECT_EQ(best.schedule, Schedule(chooseCpuGradientSchedule(layer, hostLevel(), m)));
        EXPECT_GT(ranking.floor_us, 0);
        EXPECT_NEAR(predictCpu(layer, algrt::Map::Dw, /*packed=*/false, m, 16),
                    best.predicted() - best.cost.sum.back().us, 1e-9 * best.predicted());
        EXPECT_NEAR(predictCpu(layer, algrt::Map::Dw, false, m, 2),
                    8 * predictCpu(layer, algrt::Map::Dw, false, m, 16), 1e-9 * best.predicted());
      }
}

TEST(Ranking, OfThreadsThatCopyIsSoundOnEitherMachine) {
  // Widths that no tensor map can address.
  const algebras::Layer layer = projection("Q(5)", 5 * 27, 5 * 33);
  for (const std::string target : {"sm_80", "sm_90a"})
    for (const DataType type : {DataType::F32, DataType::BF16})
      for (const int64_t m : {1, 2048}) {
        const Ranking ranking = rankSchedules(layer, target, m, type);
        EXPECT_EQ(ranking.target, target);
        expectSound(ranking);
        const GpuMachine &machine = machineOf(target);
        EXPECT_EQ(ranking.machine, machine.name);
        const ProjectionWork work = projectionWork(layer, m, type);
        std::optional<Schedule> best;
        for (const RankedSchedule &one : ranking.legal) {
          EXPECT_DOUBLE_EQ(one.cost.waves, one.cost.tiles / machine.multiprocessors);
          if (isReduction(one.schedule))
            continue;
          best = best.value_or(one.schedule);
          const StagedSchedule schedule = std::get<StagedSchedule>(one.schedule);
          EXPECT_EQ(whyIllegal(layer, schedule, type), "") << toString(one.schedule);
          EXPECT_DOUBLE_EQ(one.predicted(), threadsCost(work, schedule, type, machine).total())
              << toString(one.schedule);
        }
        EXPECT_EQ(best, Schedule(chooseThreads(layer, m, type, /*vector=*/0, machine)));
        EXPECT_FALSE(ranking.refused.empty());
      }
}

TEST(Ranking, RefusesWhatTheTargetHasNoKernelsFor) {
  EXPECT_THROW(rankSchedules(projection("Q(4)", 64, 64, DataType::F32), "sm_90a", 1, DataType::BF16),
               algebras::InputError);
  EXPECT_THROW(rankSchedules(projection("Q(4)", 64, 64), "sm_90a", 0, DataType::BF16), algebras::InputError);
}

TEST(Ranking, LeavesToThreadsWhatTheCopyEngineCannotAddress) {
  const algebras::Layer layer = projection("Q(4)", 4 * 20, 256);
  const Ranking ranking = rankSchedules(layer, "sm_90a", 1, DataType::BF16);
  EXPECT_EQ(ranking.target, "sm_90a");
  EXPECT_EQ(ranking.machine, "an H200");
  // The same floor as that of the kernels for which the copy engine copies.
  EXPECT_NEAR(ranking.floor_us, floorOf(projectionWork(layer, 1, DataType::BF16), h200_machine).longest(),
              1e-9);
  ASSERT_FALSE(ranking.legal.empty());
  for (const RankedSchedule &one : ranking.legal) {
    EXPECT_TRUE(isForThreads(one.schedule) || isReduction(one.schedule)) << toString(one.schedule);
    EXPECT_GE(one.predicted(), ranking.floor_us) << toString(one.schedule);
  }
}

TEST(Ranking, HasVectorReductionsBesideBatchedKernelsWhereRowsAreFew) {
  for (const char *target : {"sm_80", "sm_90a"})
    for (const char *algebra : {"Q(8)", "Q(2)^2", "path(3)"}) {
      const int64_t groups = std::string(algebra) == "Q(8)" ? 8 : std::string(algebra) == "path(3)" ? 3 : 4;
      const algebras::Layer layer = projection(algebra, groups * 128, groups * 192);
      double before = 0;
      for (const int64_t m : {1, 2, 4, 8, 16, 32, 64}) {
        const Ranking ranking = rankSchedules(layer, target, m, DataType::BF16);
        expectSound(ranking);
        const RankedSchedule *best = bestReduction(ranking);
        ASSERT_NE(best, nullptr);
        int64_t reductions = 0;
        const ProjectionWork work = projectionWork(layer, m, DataType::BF16);
        for (const RankedSchedule &one : ranking.legal) {
          if (!isReduction(one.schedule))
            continue;
          ++reductions;
          const ReductionSchedule schedule = std::get<ReductionSchedule>(one.schedule);
          EXPECT_EQ(whyIllegal(layer, schedule), "") << toString(one.schedule);
          EXPECT_EQ(parseReduction(toString(schedule)), schedule);
          EXPECT_DOUBLE_EQ(
              one.predicted(),
              reductionCost(work, schedule, commonTerms(layer, std::min(m, schedule.rows)), machineOf(target))
                  .total())
              << toString(one.schedule);
          EXPECT_GE(one.predicted(), best->predicted());
        }
        EXPECT_LT(reductions, static_cast<int64_t>(ranking.legal.size()));
        EXPECT_GT(best->predicted(), before * (1 - 1e-9))
            << algebra << ", m = " << m; // more rows cost no less
        before = best->predicted();
      }
      // The number is where one kind gives way to the other.
      const int64_t from = batchedFrom(layer, target, DataType::BF16);
      const auto reduces = [&](int64_t m) {
        return isReduction(rankSchedules(layer, target, m, DataType::BF16).legal.front().schedule);
      };
      if (from > 1)
        EXPECT_TRUE(reduces(from - 1)) << algebra << ", " << target << ", " << from;
      EXPECT_FALSE(reduces(from)) << algebra << ", " << target << ", " << from;
    }
  // None for many rows, for gradients, and where groups are unequal.
  const algebras::Layer layer = projection("Q(4)", 256, 256);
  EXPECT_EQ(bestReduction(rankSchedules(layer, "sm_80", most_reduction_rows + 1, DataType::BF16)), nullptr);
  EXPECT_EQ(bestReduction(rankMap(layer, algrt::Map::Dx, "sm_80", 1, DataType::BF16)), nullptr);
}

// What consecutive rows share: the diagonal of a complete graph, everything where they have one type.
TEST(Ranking, CountsTheTermsThatRowsOfVectorReductionsShare) {
  EXPECT_EQ(commonTerms(projection("Q(8)", 64, 64), 4), 1);
  EXPECT_EQ(commonTerms(projection("Q(1)", 64, 64), 4), 1);
  const algebras::Layer power = projection("Q(2)^2", 64, 64);
  const double terms = projectionWork(power, 1, DataType::BF16).terms;
  EXPECT_DOUBLE_EQ(commonTerms(power, 1), terms);
  EXPECT_LT(commonTerms(power, 2), terms);
  EXPECT_EQ(commonTerms(power, 4), 1); // of all four types the diagonal block alone
}

TEST(BestDifferent, TakesTheCheapestOfEachKind) {
  Ranking ranking;
  for (const char *text :
       {"rows=64,columns=192,depth=64,stages=4", "rows=64,columns=192,depth=32,stages=4", // the same tile
        "rows=64,columns=208,depth=64,stages=4",                                          // hardly wider
        "rows=64,columns=176,depth=32,stages=4",               // hardly narrower, but less deep
        "rows=128,columns=192,depth=64,stages=4",              // other rows
        "rows=64,columns=240,depth=64,stages=4,types=2",       // a quarter wider
        "rows=64,columns=240,depth=64,stages=4",               // the same of one type
        "rows=64,columns=240,depth=64,stages=4,stationary=4",  // the same with stationary rows
        "rows=64,columns=240,depth=64,stages=4,stationary=8"}) // for longer
    ranking.legal.push_back({parseSchedule(text, Kernels::EngineCopies), {}});
  auto chosen = [&](int64_t most) {
    std::vector<std::string> names;
    for (const RankedSchedule &one : bestDifferent(ranking, most))
      names.push_back(toString(one.schedule));
    return names;
  };
  EXPECT_THAT(chosen(9), testing::ElementsAre("rows=64,columns=192,depth=64,stages=4",
                                              "rows=64,columns=176,depth=32,stages=4",
                                              "rows=128,columns=192,depth=64,stages=4",
                                              "rows=64,columns=240,depth=64,stages=4,types=2",
                                              "rows=64,columns=240,depth=64,stages=4",
                                              "rows=64,columns=240,depth=64,stages=4,stationary=4"));
  EXPECT_THAT(chosen(2), testing::ElementsAre("rows=64,columns=192,depth=64,stages=4",
                                              "rows=64,columns=176,depth=32,stages=4"));
}

} // namespace
