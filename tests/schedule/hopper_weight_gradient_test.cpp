// Schedules of the weight matrix's gradient for the copy engine: what cannot be, what is looked at, and what
// it would cost, against a walk over every tile of dW and its steps.
#include "algebras/expression.h"
#include "algebras/weight_terms.h"
#include "compiler/schedule/staged.h"
#include "tests/schedule/layers.h"
#include "tests/schedule/staged_questions.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace compiler;
using namespace schedule_test;
using algebras::DataType;

StagedProblem gradientOf(const algebras::Layer &layer) {
  return {layer, DataType::BF16, /*weight_gradient=*/true};
}

std::string whyNot(const std::string &schedule, const std::string &algebra = "Q(8)") {
  const algebras::Layer layer = projection(algebra, 1024, 2048);
  return compiler::whyIllegal(gradientOf(layer), engineSchedule(schedule));
}

TEST(HopperWeightGradient, RefusesWhatNoKernelCanDo) {
  using testing::HasSubstr;
  EXPECT_EQ(whyNot("rows=64,columns=128,depth=64,longest_first=1"), "");
  EXPECT_EQ(whyNot("rows=128,columns=256,depth=32,split_k=2"), "");
  EXPECT_EQ(whyNot("rows=64,columns=128,depth=64,cluster=2x2,ping_pong=2"), "");
  EXPECT_THAT(whyNot("rows=64,columns=128,depth=64,types=2"), HasSubstr("sum up whatever types there are"));
  EXPECT_THAT(whyNot("rows=64,columns=128,depth=64,stationary=4"),
              HasSubstr("stationary rows in a gradient of the weight matrix"));
  EXPECT_THAT(whyNot("rows=64,columns=128,depth=64,rows_on=n"), HasSubstr("features on side N"));
  EXPECT_THAT(whyNot("rows=32,columns=128,depth=64"), HasSubstr("32 rows"));
  EXPECT_THAT(whyNot("rows=64,columns=128,depth=24"), HasSubstr("a depth of 24"));
  EXPECT_THAT(whyNot("rows=64,columns=128,depth=16,cluster=1x4"), HasSubstr("16 rows of a step of X"));
  EXPECT_THAT(whyNot("rows=64,columns=128,depth=64,ping_pong=2,split_k=2"),
              HasSubstr("a split with ping-pong"));
  EXPECT_THAT(whyNot("rows=64,columns=48,depth=64,split_k=2"), HasSubstr("48 columns have no 2 equal parts"));
  EXPECT_THAT(whyNot("rows=64,columns=128,depth=64,stages=12"),
              HasSubstr("12 stages of 24576 bytes and 16384 bytes for the result"));
  // Where long tiles alone are divided, whole ones and parts have places of their own.
  EXPECT_THAT(whyNot("rows=128,columns=256,depth=64,split_k=2,longest_first=1"),
              HasSubstr("65536 bytes of others' sums and 98304 bytes for the result do not fit"));
  EXPECT_THAT(whyNot("rows=64,columns=128,depth=64,longest_first=9"), HasSubstr("9"));
  EXPECT_THAT(whyNot("rows=256,columns=256,depth=64"), HasSubstr("registers"));
}

// A tile of dW waits in shared memory for the copy engine; beside it lies what blocks that divide one send
// each other.
TEST(HopperWeightGradient, HasTheStagesThatFit) {
  const algebras::Layer layer = projection("Q(8)", 1024, 2048);
  const StagedSchedule whole = engineSchedule("rows=64,columns=192,depth=64");
  EXPECT_EQ(stagesThatFit(gradientOf(layer), whole),
            (hopper_shared_bytes - reserved_shared_bytes - 64 * 192 * 2) / ((64 + 192) * 64 * 2));
  const StagedSchedule divided = engineSchedule("rows=64,columns=192,depth=64,split_k=4");
  EXPECT_EQ(stagesThatFit(gradientOf(layer), divided),
            (hopper_shared_bytes - reserved_shared_bytes - 64 * 48 * 2 - 64 * 48 * 3 * 4) /
                ((64 + 192) * 64 * 2));
}

TEST(HopperWeightGradient, LooksAtLegalSchedulesWithTheirStages) {
  const algebras::Layer layer = projection("Q(8)", 8 * 96, 8 * 80);
  bool split = false, cluster = false, turns = false;
  for (const Considered<StagedSchedule> &one : considerStaged(gradientOf(layer), Copies::Engine)) {
    if (one.refusal)
      continue;
    EXPECT_FALSE(refusal(gradientOf(layer), one.schedule)) << toString(one.schedule);
    EXPECT_EQ(one.schedule.stages, stagesThatFit(gradientOf(layer), one.schedule));
    EXPECT_EQ(one.schedule.longest_first, 1);
    EXPECT_LE(one.schedule.rows, 128) << "all that the third warpgroup has of 96 features is zero";
    split |= one.schedule.split_k > 1;
    cluster |= one.schedule.cluster() > 1;
    turns |= one.schedule.ping_pong > 1;
  }
  EXPECT_TRUE(split && cluster && turns);
}

struct Counted {
  double tiles = 0, steps = 0;
};

/// Block by block, type by type. Of a complete graph's diagonal type after type, where that is an eighth more
/// at most.
Counted walk(const algebras::Layer &layer, const StagedSchedule &schedule, int64_t m) {
  const algebras::WeightTerms terms(layer.lift);
  const int64_t types = layer.lift.types();
  auto up = [](int64_t value, int64_t step) { return (value + step - 1) / step; };
  auto clusters = [&](int64_t value, int64_t step, int64_t blocks) {
    return up(value, step * blocks) * blocks;
  };
  const int64_t tiles_of_block = clusters(layer.in.width(0), schedule.rows, schedule.cluster_rows) *
                                 clusters(layer.out.width(0), schedule.columns, schedule.cluster_columns);
  Counted counted;
  for (int64_t row = 0; row < terms.weightRows(); ++row)
    for (int64_t column = 0; column < terms.weightColumns(); ++column) {
      const auto of = terms.of(row, column);
      int64_t steps = 0;
      if (static_cast<int64_t>(of.size()) == types && types > 0) {
        const int64_t lying = up(m, schedule.depth), by_type = types * up(up(m, types), schedule.depth);
        steps = layer.lift.completeGraph() && by_type <= lying + lying / 8 ? by_type : lying;
      } else {
        for (const algebras::WeightTerm &term : of)
          steps += up(m / types + (term.type < m % types ? 1 : 0), schedule.depth);
      }
      counted.tiles += static_cast<double>(tiles_of_block);
      counted.steps += static_cast<double>(tiles_of_block * steps);
    }
  return counted;
}

TEST(HopperWeightGradient, CountsTilesAndStepsOfEveryBlock) {
  for (const auto &[layer, m] : {std::pair{projection("Q(1)", 128, 256), int64_t{70}},
                                 {projection("Q(8)", 640, 1024), 512},
                                 {projection("Q(8)", 640, 1024), 8 * 75},
                                 {projection("Q(8)", 640, 1024), 8},
                                 {projection("Q(4)", 512, 1024), 4096}})
    for (const char *text :
         {"rows=64,columns=128,depth=64,stages=4,longest_first=1", "rows=128,columns=64,depth=32,stages=4",
          "rows=64,columns=64,depth=16,stages=4,cluster=2x2",
          "rows=64,columns=128,depth=64,stages=4,split_k=4,longest_first=1"}) {
      StagedSchedule schedule = engineSchedule(text);
      if (layer.lift.types() == 1)
        schedule.longest_first = 0;
      SCOPED_TRACE(fmt::format("{}, M = {}, {}", layer.lift.algebra().name(), m, text));
      const WeightGradientWork work = weightGradientWork(layer, m, DataType::F32);
      const Cost cost = engineCost(work, schedule, DataType::BF16, h200_machine);
      const Counted counted = walk(layer, schedule, m);
      EXPECT_DOUBLE_EQ(cost.tiles, counted.tiles);
      // Every step multiplies a whole tile by its depth; all panels have 128 bytes.
      const double cycles = static_cast<double>(schedule.rows) / 64 * static_cast<double>(schedule.depth) /
                            16 * static_cast<double>(schedule.columns) / 2;
      const double steps = (cost["products"] + cost["padding"]) * h200_machine.multiprocessors *
                           h200_machine.dense_clock / cycles;
      EXPECT_NEAR(steps, counted.steps, 1e-6 * counted.steps);
    }
}

// X and dY are 134 MB: what the diagonal brings serves the other blocks where it goes beside them, else it
// comes again.
TEST(HopperWeightGradient, RowsComeOnceWhereTheDiagonalGoesBesideTheOthers) {
  const algebras::Layer layer = projection("Q(32)", 2048, 6144);
  auto memory = [&](const char *schedule, int64_t m) {
    const WeightGradientWork work = weightGradientWork(layer, m, DataType::BF16);
    const Cost cost = engineCost(work, engineSchedule(schedule), DataType::BF16, h200_machine);
    return cost["memory"] * h200_machine.memory_bytes_per_us / (work.x_bytes + work.dy_bytes + work.dw_bytes);
  };
  // 32 diagonal tiles in two parts each are 64 of 132 processors, and half of the steps.
  EXPECT_DOUBLE_EQ(memory("rows=64,columns=192,depth=64,stages=5,split_k=2,longest_first=1", 8192), 1);
  // Undivided they take longer than all the others.
  EXPECT_GT(memory("rows=64,columns=192,depth=64,stages=5,longest_first=1", 8192), 1.3);
  // 128 of them leave nobody over who could go beside them for long.
  EXPECT_GT(memory("rows=64,columns=48,depth=64,stages=5,longest_first=1", 8192), 1.3);
  // 8200 rows of 32 types are 256 or 257 each, five steps of 64: with a fifth more steps rows come as they
  // lie.
  EXPECT_GT(memory("rows=64,columns=192,depth=64,stages=5,split_k=2,longest_first=1", 8200), 1.3);
  // What fits the cache comes once whatever the order.
  EXPECT_DOUBLE_EQ(memory("rows=64,columns=192,depth=64,stages=5,longest_first=1", 1024), 1);
}

// A diagonal tile has as many steps as all others of its row.
TEST(HopperWeightGradient, DividedLongTilesEndEarlier) {
  const WeightGradientWork work = weightGradientWork(projection("Q(32)", 2048, 6144), 8192, DataType::BF16);
  auto cost = [&](const char *schedule) {
    return engineCost(work, engineSchedule(schedule), DataType::BF16, h200_machine);
  };
  const Cost whole = cost("rows=64,columns=192,depth=64,stages=5,longest_first=1"),
             divided = cost("rows=64,columns=192,depth=64,stages=5,split_k=2,longest_first=1");
  EXPECT_GT(whole.uneven("tensor"), 1.5);
  EXPECT_LT(divided.uneven("tensor"), 1.1);
}

} // namespace
