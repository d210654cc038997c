// Schedules of the Hopper kernels: how they are written, what fits the machine, what is chosen.
#include "compiler/schedule/gpu_layer.h"
#include "compiler/schedule/panels.h"
#include "compiler/schedule/staged.h"
#include "tests/schedule/staged_questions.h"

#include "algebras/constructions.h"
#include "algebras/error.h"

#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace compiler;
using namespace schedule_test;
using testing::HasSubstr;

algebras::Layer projection(int64_t q, int64_t in, int64_t out,
                           algebras::DataType dtype = algebras::DataType::BF16) {
  algebras::Layer layer =
      algebras::makeLayer(algebras::Lift::rows(algebras::completeGraph(q)), in, out, dtype);
  layer.row_types = algebras::RowTypes::cyclic(q);
  return layer;
}

/// The message and the hint of the InputError that `action` throws.
std::string refused(const std::function<void()> &action) {
  try {
    action();
  } catch (const algebras::InputError &error) {
    return std::string(error.what()) + " | " + error.hint();
  }
  return "";
}

TEST(HopperScheduleText, IsReadAndWritten) {
  const StagedSchedule schedule = engineSchedule("rows=192,columns=96,depth=32,stages=3");
  EXPECT_EQ(schedule, (StagedSchedule{192, 96, 32, 3}));
  EXPECT_EQ(engineSchedule(toString(schedule)), schedule);
  EXPECT_EQ(engineSchedule("columns=48"), (StagedSchedule{128, 48, 64, 0}));
  for (const char *text :
       {"rows=64,columns=96,depth=32,stages=3,types=2,cluster=1x4,stationary=8,outer=groups",
        "rows=24,columns=128,depth=64,stages=3,outer=groups,rows_on=n",
        "rows=64,columns=128,depth=64,stages=3,cluster=2x1,ping_pong=2",
        "rows=32,columns=128,depth=64,stages=3,rows_on=n,split_k=4",
        "rows=64,columns=96,depth=32,stages=3,cluster=2x1"})
    EXPECT_EQ(toString(engineSchedule(text)), text);
}

TEST(HopperScheduleText, SaysWhatIsWrong) {
  for (auto [text, message] :
       {std::pair("", "'' is not of the form name=number"),
        std::pair("rows", "'rows' is not of the form name=number"),
        std::pair("rows=64,", "'' is not of the form name=number"),
        std::pair("rows=64,rows=64", "'rows' is given twice"),
        std::pair("kinds=1", "nothing in it is called 'kinds'"), std::pair("rows=6x", "'6x' is not a number"),
        std::pair("cluster=2", "'2' is not of the form 2x4"),
        std::pair("cluster=2x", "'2x' is not of the form 2x4"),
        std::pair("outer=rows", "'rows' is not one of types, groups"),
        std::pair("rows_on=1", "'1' is not one of m, n"), std::pair("rows=", "'' is not a number"),
        std::pair("rows=99999999999999999999", "'99999999999999999999' is not a number")})
    EXPECT_THAT(refused([&] { engineSchedule(text); }), HasSubstr(message)) << text;
}

TEST(HopperLegality, NamesWhatExceeds) {
  const algebras::Layer layer = projection(4, 512, 1024);
  auto why = [&](StagedSchedule schedule, algebras::DataType output = algebras::DataType::BF16) {
    return whyIllegal(layer, schedule, output);
  };
  EXPECT_EQ(why({128, 192, 64, 4}), "");
  EXPECT_EQ(why({128, 256, 64, 0}), "");
  EXPECT_THAT(why({96, 64, 64, 0}), HasSubstr("96 rows"));
  EXPECT_EQ(why({256, 64, 64, 0}), "");
  EXPECT_THAT(why({320, 64, 64, 0}), HasSubstr("320 rows"));
  EXPECT_THAT(why({128, 8, 64, 0}), HasSubstr("8 columns"));
  EXPECT_THAT(why({128, 100, 64, 0}), HasSubstr("100 columns"));
  EXPECT_THAT(why({128, 272, 64, 0}), HasSubstr("272 columns"));
  EXPECT_THAT(why({128, 64, 128, 0}), HasSubstr("a depth of 128"));
  EXPECT_THAT(why({128, 64, 64, 1}), HasSubstr("1 stages"));
  EXPECT_THAT(why({128, 64, 64, -1}), HasSubstr("-1 stages"));
  // 512 threads start with 128 registers each, and ptxas refuses 104 sums.
  EXPECT_EQ(why({192, 192, 64, 0}), "");
  EXPECT_THAT(why({192, 208, 64, 0}), HasSubstr("registers"));
  // The result of f32 takes twice the room of bf16, which is stages less.
  EXPECT_EQ(why({128, 192, 64, 4}, algebras::DataType::BF16), "");
  EXPECT_THAT(why({128, 192, 64, 4}, algebras::DataType::F32), HasSubstr("3 fit"));
}

TEST(HopperLegality, Turns) {
  const algebras::Layer layer = projection(4, 512, 1024);
  auto why = [&](const char *schedule) {
    return whyIllegal(layer, engineSchedule(schedule), algebras::DataType::BF16);
  };
  EXPECT_EQ(why("rows=64,columns=256,ping_pong=2,depth=32"), "");
  EXPECT_EQ(why("rows=128,columns=128,ping_pong=2"), "");
  EXPECT_THAT(why("rows=128,columns=64,ping_pong=3"), HasSubstr("ping_pong=3 with 2 warpgroups each"));
  EXPECT_THAT(why("rows=64,columns=64,ping_pong=0"), HasSubstr("ping_pong=0"));
  EXPECT_THAT(why("rows=64,columns=64,ping_pong=2,types=2"),
              HasSubstr("ping-pong with tiles of several types"));
  EXPECT_THAT(why("rows=64,columns=64,ping_pong=2,stationary=2"), HasSubstr("stationary rows"));
}

TEST(HopperLegality, Splits) {
  const algebras::Layer layer = projection(4, 512, 1024);
  auto why = [&](const char *schedule, algebras::DataType output = algebras::DataType::BF16) {
    return whyIllegal(layer, engineSchedule(schedule), output);
  };
  EXPECT_EQ(why("rows=64,columns=256,split_k=2"), "");
  EXPECT_EQ(why("rows=128,columns=128,split_k=8,outer=groups"), "");
  EXPECT_EQ(why("rows=16,columns=256,rows_on=n,split_k=2"), "");
  EXPECT_EQ(why("rows=64,columns=64,rows_on=n,split_k=8"), "");
  for (const char *text : {"split_k=0", "split_k=-2", "split_k=3", "split_k=16"})
    EXPECT_THAT(why(text), HasSubstr("1, 2, 4 or 8 blocks")) << text;
  EXPECT_THAT(why("rows=64,columns=64,split_k=2,types=2"), HasSubstr("tiles of several types"));
  EXPECT_THAT(why("rows=64,columns=64,split_k=2,stationary=2"), HasSubstr("stationary rows"));
  EXPECT_THAT(why("rows=64,columns=64,split_k=2,cluster=1x2"), HasSubstr("in a cluster of 1x2"));
  EXPECT_THAT(why("rows=64,columns=64,split_k=2,ping_pong=2"), HasSubstr("with ping-pong"));
  EXPECT_THAT(why("columns=48,split_k=2"),
              HasSubstr("48 columns have no 2 equal parts that are multiples of 16"));
  EXPECT_THAT(why("rows=24,columns=64,rows_on=n,split_k=2"), HasSubstr("24 rows have no 2 equal parts"));
}

TEST(HopperLegality, MakesRoomForSumsOfOthers) {
  StagedSchedule schedule{128, 256, 64, 0};
  EXPECT_EQ(reductionBytes(schedule), 0);
  schedule.split_k = 8;
  // Of seven other blocks an eighth of the sums, in f32; and of the result an eighth.
  EXPECT_EQ(reductionBytes(schedule), 7 * 128 * 32 * 4);
  EXPECT_EQ(stagingBytes(schedule, algebras::DataType::BF16), 128 * 32 * 2);
  // 230400 bytes less 114688 and 8192 are two stages of 49152.
  const algebras::Layer layer = projection(4, 512, 1024);
  EXPECT_EQ(stagesThatFit(StagedProblem(layer, algebras::DataType::BF16), schedule), 2);
  schedule.stages = 3;
  EXPECT_THAT(whyIllegal(projection(4, 512, 1024), schedule, algebras::DataType::BF16),
              HasSubstr("114688 bytes of others' sums and 8192 bytes for the result"));
}

TEST(HopperLegality, RowsOnTheOtherSide) {
  const algebras::Layer layer = projection(4, 512, 1024);
  auto why = [&](const char *schedule) {
    return whyIllegal(layer, engineSchedule(schedule), algebras::DataType::BF16);
  };
  EXPECT_EQ(why("rows=8,columns=256,rows_on=n"), "");
  EXPECT_EQ(why("rows=256,columns=128,depth=32,rows_on=n"), "");
  EXPECT_THAT(why("rows=4,columns=64,rows_on=n"), HasSubstr("4 rows on side N"));
  EXPECT_THAT(why("rows=264,columns=64,rows_on=n"), HasSubstr("264 rows on side N"));
  EXPECT_THAT(why("rows=16,columns=96,rows_on=n"), HasSubstr("96 columns on side M"));
  EXPECT_THAT(why("rows=16,columns=320,rows_on=n"), HasSubstr("320 columns on side M"));
  EXPECT_THAT(why("rows=16,columns=64,types=2,rows_on=n"), HasSubstr("one type"));
  EXPECT_THAT(why("rows=256,columns=256,rows_on=n"), HasSubstr("256 rows: a product takes 154 registers"));
}

// A copy brings whole runs, or a part of one.
TEST(HopperLegality, SaysWhatDoesNotFitRunsThatAreJoined) {
  algebras::Layer layer = projection(4, 512, 1024);
  auto why = [&](int64_t width, const char *schedule) {
    layer.row_types = algebras::RowTypes::interval(4, width);
    return whyIllegal(layer, engineSchedule(schedule), algebras::DataType::BF16);
  };
  EXPECT_THAT(why(16, "rows=24,columns=64,rows_on=n"),
              HasSubstr("24 rows: row types have runs of 16, of which a copy brings some or a part of one"));
  for (const char *schedule : {"rows=16,columns=64,rows_on=n", "rows=64,columns=64", "rows=128,columns=64"})
    for (const int64_t width : {2, 4, 8, 16, 32})
      EXPECT_EQ(why(width, schedule), "") << schedule << ", " << width;
  EXPECT_EQ(why(8, "rows=24,columns=64,rows_on=n"), "");
  EXPECT_EQ(why(24, "rows=16,columns=64,rows_on=n"), ""); // a segment each
}

TEST(HopperLegality, SaysWhatCannotBeShared) {
  const algebras::Layer complete = projection(4, 512, 1024);
  auto why = [](const algebras::Layer &layer, const char *schedule) {
    return whyIllegal(layer, engineSchedule(schedule), algebras::DataType::BF16);
  };
  EXPECT_THAT(why(complete, "rows=128,types=4"), HasSubstr("128 rows of 4 types"));
  EXPECT_THAT(why(complete, "rows=64,types=0"), HasSubstr("0 types"));
  EXPECT_THAT(why(projection(2, 512, 1024), "rows=64,types=3"), HasSubstr("there are 2"));
  EXPECT_THAT(why(complete, "cluster=3x1"), HasSubstr("3x1 blocks: 1, 2 or 4"));
  EXPECT_THAT(why(complete, "cluster=4x4"), HasSubstr("at most 8"));
  EXPECT_THAT(why(complete, "depth=16,cluster=4x1"),
              HasSubstr("16 of the weight matrix cannot be loaded in parts"));
  EXPECT_THAT(why(complete, "stationary=-1"), HasSubstr("stationary=-1"));
  EXPECT_THAT(why(complete, "stationary=5"), HasSubstr("stationary=5: there are 4 groups"));
  EXPECT_EQ(why(complete, "stationary=4"), "");
  EXPECT_THAT(why(complete, "cluster=2x1,stationary=4"), HasSubstr("no kernel has both yet"));
  EXPECT_THAT(why(complete, "rows=64,cluster=1x2,types=2"), HasSubstr("no kernel has both yet"));
  // 128 rows of 1024 features.
  EXPECT_THAT(
      why(projection(4, 4096, 1024), "columns=64,stationary=2"),
      HasSubstr(
          "two stages of 24576 bytes and 262144 bytes of stationary rows and 16384 bytes for the result"));
  algebras::Layer path =
      algebras::makeLayer(algebras::Lift::rows(algebras::path(4)), 512, 1024, algebras::DataType::BF16);
  EXPECT_THAT(why(path, "rows=64,types=2"), HasSubstr("only of a complete graph"));
  EXPECT_THAT(why(path, "stationary=2"), HasSubstr("stationary rows: only of a complete graph"));
}

TEST(HopperLegality, CountsSharedMemory) {
  const StagedSchedule schedule{128, 192, 64, 0};
  EXPECT_EQ(stageBytes(schedule), 128 * 64 * 2 + 64 * 192 * 2);
  EXPECT_EQ(stagingBytes(schedule, algebras::DataType::BF16), 128 * 192 * 2);
  EXPECT_EQ(stagingBytes(schedule, algebras::DataType::F32), 128 * 192 * 4);
  // 16 x 16 bf16 are 512 bytes, but slots begin at multiples of 1024.
  EXPECT_EQ(stageBytes(StagedSchedule{64, 16, 16, 0}), 64 * 16 * 2 + 1024);
  const algebras::Layer layer = projection(4, 512, 1024);
  const int64_t fit = stagesThatFit(StagedProblem(layer, algebras::DataType::BF16), schedule);
  const int64_t rest = hopper_shared_bytes - stagingBytes(schedule, algebras::DataType::BF16);
  EXPECT_LE(fit * stageBytes(schedule), rest);
  EXPECT_GT((fit + 1) * stageBytes(schedule), rest - 2048);
}

TEST(HopperLegality, MakesRoomForHeldRows) {
  const algebras::Layer layer = projection(8, 8 * 160, 8 * 96);
  const StagedProblem held(layer, algebras::DataType::BF16);
  StagedSchedule schedule{64, 96, 64, 0};
  EXPECT_EQ(stationaryBytes(held, schedule), 0);
  schedule.types = 2;
  schedule.stationary_groups = 4;
  EXPECT_EQ(stationaryBytes(held, schedule), 2 * 64 * 192 * 2);
  const int64_t with = stagesThatFit(held, schedule);
  StagedSchedule coming = schedule;
  coming.stationary_groups = 0;
  const int64_t without = stagesThatFit(held, coming);
  EXPECT_EQ(without - with, 2); // 49152 bytes of stages of 28672
  schedule.stages = with;
  EXPECT_EQ(whyIllegal(layer, schedule, algebras::DataType::BF16), "");
  ++schedule.stages;
  EXPECT_THAT(whyIllegal(layer, schedule, algebras::DataType::BF16),
              HasSubstr("49152 bytes of stationary rows"));
}

TEST(HopperLegality, LetsSumsOfGradientsStay) {
  const algebras::Layer gradient = projection(8, 8 * 192, 8 * 320).transposed(); // dX in groups of 192
  const auto why = [&](const std::string &schedule, const algebras::Layer &layer) {
    return whyIllegal(layer, engineSchedule(schedule), algebras::DataType::BF16);
  };
  const std::string tile = "rows=64,columns=96,depth=64,", wide = "columns=192,depth=32,";
  EXPECT_EQ(why(tile + "stationary=8", gradient), "");
  EXPECT_EQ(why(tile + "stationary=4,split_k=2", gradient), "");
  EXPECT_EQ(why(tile + "stationary=8,cluster=2x2", gradient), "");
  EXPECT_EQ(why("rows=32,columns=192,depth=64,stationary=4,split_k=2,rows_on=n", gradient), "");
  // For all groups, of which each block has its share.
  EXPECT_THAT(why(tile + "stationary=4", gradient),
              HasSubstr("sums stay for all 8 groups of dY, 8 for each"));
  EXPECT_THAT(why(tile + "stationary=8,split_k=2", gradient), HasSubstr("4 for each block"));
  EXPECT_THAT(why("stationary=1", projection(1, 128, 128).transposed()), HasSubstr("of a single group"));
  EXPECT_THAT(why(tile + "stationary=8,ping_pong=2", gradient), HasSubstr("stationary sums"));
  EXPECT_THAT(why(tile + "stationary=8,longest_first=1", gradient), HasSubstr("stationary sums"));
  EXPECT_THAT(why(tile + "types=2", gradient), HasSubstr("stationary= lets the sums"));
  // A single product would start with the registers that it needs; two have what is dealt out later.
  EXPECT_EQ(why("rows=128," + wide + "stationary=8", gradient), "");
  EXPECT_THAT(why("rows=192," + wide + "stationary=8", gradient),
              HasSubstr("2 products take 218 registers of a thread"));
  // Two blocks of the weight matrix in every stage, whole tiles and parts of some on their way out.
  const StagedProblem problem(gradient, algebras::DataType::BF16);
  const StagedSchedule schedule = engineSchedule(tile + "stationary=4,split_k=2");
  EXPECT_EQ(problem.productsOfStep(schedule), 2);
  EXPECT_EQ(stationaryBytes(problem, schedule), 0);
  EXPECT_EQ(stagingBytes(schedule, algebras::DataType::BF16), 64 * 96 * 2 + 64 * 48 * 2);
  EXPECT_EQ(stagesThatFit(problem, schedule),
            (hopper_shared_bytes - reserved_shared_bytes - 64 * 48 * 4 - 64 * (96 + 48) * 2) /
                (64 * 64 * 2 + 2 * 64 * 96 * 2));
}

TEST(HopperLegality, DealsOutTheRegisterFile) {
  for (int64_t warpgroups = 1; warpgroups <= most_warpgroups; ++warpgroups) {
    const HopperRegisters registers = hopperRegisters(warpgroups);
    EXPECT_EQ(registers.load % 8, 0);
    EXPECT_EQ(registers.multiply % 8, 0);
    EXPECT_GE(registers.load, 24);
    // What a block's threads start with is all that there is to deal out.
    const int64_t threads = (warpgroups + 1) * 128, start = std::min<int64_t>(255, 65536 / threads / 8 * 8);
    EXPECT_LE(128 * (registers.load + warpgroups * registers.multiply), threads * start);
  }
}

TEST(HopperLegality, PanelsAreAsWideAsTheyCan) {
  EXPECT_EQ(panelBytes(64, 2), 128);
  EXPECT_EQ(panelBytes(192, 2), 128);
  EXPECT_EQ(panelBytes(96, 2), 64);
  EXPECT_EQ(panelBytes(80, 2), 32);
  EXPECT_EQ(panelBytes(80, 4), 64);
  EXPECT_EQ(panelBytes(8, 2), 0);
}

TEST(HopperLayers, AreRefusedWithAHint) {
  auto refuse = [](const algebras::Layer &layer) {
    return refused([&] {
      requireGpuLayer(layer, "sm_90a");
      requireHopperLayer(layer);
    });
  };
  EXPECT_EQ(refuse(projection(4, 512, 768)), "");
  EXPECT_THAT(refuse(projection(4, 512, 768, algebras::DataType::F32)), HasSubstr("dtype bf16"));
  EXPECT_THAT(refuse(projection(4, 4 * 20, 768)), HasSubstr("input groups of 20 features are 40 bytes wide"));
  EXPECT_THAT(refuse(projection(4, 512, 4 * 100)),
              HasSubstr("output groups of 100 features are 200 bytes wide"));
  algebras::Layer layer = projection(2, 128, 128);
  layer.row_types = algebras::RowTypes::explicitTypes(2);
  EXPECT_THAT(refuse(layer), HasSubstr("rows of a type at one distance only"));
  layer = projection(2, 128, 128);
  layer.in = algebras::Groups::explicitWidths({56, 72});
  EXPECT_THAT(refuse(layer), HasSubstr("groups of one width only"));
  layer = projection(2, 128, 128);
  layer.row_types = algebras::RowTypes::interval(2, int64_t{1} << 30);
  EXPECT_THAT(refuse(layer), HasSubstr("count in 32 bits"));
}

TEST(HopperCandidates, AreLegalAndFillSharedMemory) {
  for (int64_t q : {1, 2, 32})
    for (int64_t in : {8, 40, 64, 192})
      for (int64_t out : {8, 104, 192, 800})
        for (algebras::DataType output : {algebras::DataType::BF16, algebras::DataType::F32}) {
          const algebras::Layer layer = projection(q, q * in, q * out);
          const std::vector<StagedSchedule> candidates = engineCandidates(layer, output);
          ASSERT_FALSE(candidates.empty());
          for (const StagedSchedule &candidate : candidates) {
            EXPECT_EQ(whyIllegal(layer, candidate, output), "");
            EXPECT_EQ(candidate.stages, stagesThatFit(StagedProblem(layer, output), candidate));
            EXPECT_LT(candidate.columns - panelBytes(candidate.columns, 2) / 2, out);
          }
        }
}

TEST(HopperChoice, IsTheCheapestCandidate) {
  const algebras::Layer layer = projection(32, 2048, 6144);
  const StagedSchedule chosen = chooseEngine(layer, 2048, algebras::DataType::BF16, h200_machine);
  const double cost = engineCost(layer, chosen, algebras::DataType::BF16, 2048).total();
  for (const StagedSchedule &candidate : engineCandidates(layer, algebras::DataType::BF16))
    EXPECT_LE(cost, engineCost(layer, candidate, algebras::DataType::BF16, 2048).total())
        << toString(candidate);
  // A type has 64 rows: tiles of 128 would multiply as many zeros.
  EXPECT_EQ(chosen.rows, 64);
}

TEST(HopperChoice, SharesWhereLoadsBind) {
  // 64 rows of a type: two types share each diagonal block.
  EXPECT_EQ(
      chooseEngine(projection(32, 32 * 64, 32 * 192), 2048, algebras::DataType::BF16, h200_machine).types, 2);
  // Many groups, and blocks of rows enough for all processors while each holds its own.
  EXPECT_GT(chooseEngine(projection(64, 64 * 128, 64 * 128), 8192, algebras::DataType::BF16, h200_machine)
                .stationary_groups,
            0);
  // One row: a walk over groups would leave processors without work.
  EXPECT_EQ(chooseEngine(projection(32, 32 * 64, 32 * 192), 1, algebras::DataType::BF16, h200_machine)
                .stationary_groups,
            0);
}

TEST(HopperCost, SharingSavesLoads) {
  // Whole tiles of 64 x 64 x 64, so that each block costs what another does. In blocks, for each type and
  // group: x_i and x_j, W(i, j) and W(j, j), but for i = j one of each.
  const algebras::Layer layer = projection(16, 16 * 64, 16 * 64);
  const auto loads = [&](int64_t types, int64_t held) {
    StagedSchedule schedule{64, 64, 64, 8};
    schedule.types = types;
    schedule.stationary_groups = held;
    return engineCost(layer, schedule, algebras::DataType::BF16, 16 * 64)["loads"];
  };
  const double block = loads(1, 0) / (16 * 16 * 4 - 16 * 2);
  EXPECT_NEAR(loads(2, 0), block * (16 * 15 * 2 + 16 + 16 * 15 + 8 * 16), 1e-9);
  EXPECT_NEAR(loads(4, 0), block * (16 * 15 * 2 + 16 + 16 * 15 + 4 * 16), 1e-9);
  // Held: x_i for four groups at a time, x_j for each.
  EXPECT_NEAR(loads(1, 4), block * (16 * 4 + 16 * 16 + 16 * 15 + 16 * 16), 1e-9);
  EXPECT_NEAR(loads(4, 8), block * (16 * 2 + 16 * 16 + 16 * 15 + 4 * 16), 1e-9);
}

TEST(HopperCost, CountsBytesOnceAndPaddingInFull) {
  const algebras::Layer layer = projection(2, 4096, 4096);
  const Cost cost = engineCost(layer, {128, 128, 64, 4}, algebras::DataType::BF16, 4096);
  EXPECT_NEAR(cost["memory"], 3 * 2.0 * 4096 * 4096 / 4.3e6,
              0.02 * cost["memory"]); // the cache may lose some
  EXPECT_GE(cost.total(), std::max({cost["memory"], cost["loads"], cost["tensor"]}));
  // 2049 rows of a type need one more block of 128 than 2048.
  EXPECT_GT(engineCost(layer, {128, 128, 64, 4}, algebras::DataType::BF16, 4098)["tensor"], cost["tensor"]);
  EXPECT_GT(engineCost(layer, {128, 128, 64, 4}, algebras::DataType::F32, 4096)["memory"], cost["memory"]);
}

/// Of tiles that share nothing.
StagedSchedule cheapestThatSharesNothing(const algebras::Layer &layer, int64_t m) {
  std::vector<StagedSchedule> candidates = engineCandidates(layer, algebras::DataType::BF16);
  std::erase_if(candidates, [](const StagedSchedule &one) {
    return one.types > 1 || one.stationary_groups > 0 || one.blocksTogether() > 1 || one.ping_pong > 1;
  });
  const auto cost = [&](const StagedSchedule &one) {
    return engineCost(layer, one, algebras::DataType::BF16, m).total();
  };
  return *std::min_element(candidates.begin(), candidates.end(),
                           [&](const auto &a, const auto &b) { return cost(a) < cost(b); });
}

TEST(HopperChoice, PrefersDeepStagesWithZerosToShortRows) {
  // 40 and 80 are no multiples of 64. Three stages of 16 multiply 48 instead of 64, but copy rows of 32
  // bytes.
  EXPECT_EQ(cheapestThatSharesNothing(projection(128, 128 * 40, 128 * 200), 32768).depth, 64);
  EXPECT_GE(cheapestThatSharesNothing(projection(64, 64 * 80, 64 * 400), 32768).depth, 32);
  EXPECT_EQ(cheapestThatSharesNothing(projection(32, 32 * 160, 32 * 800), 8192).depth, 64);
}

TEST(HopperCost, WhatBlocksOfAClusterShareIsSentOnce) {
  // A type has 256 rows and a group 256 columns: four blocks of 64 rows read the same of W.
  const algebras::Layer layer = projection(32, 32 * 256, 32 * 256);
  StagedSchedule four{64, 256, 64, 4}, single = four;
  four.ping_pong = single.ping_pong = 2;
  four.cluster_rows = 4;
  // Where multiprocessors take in whatever they are sent.
  GpuMachine wide = h200_machine;
  wide.port_bytes_per_us *= 100;
  wide.engine_latency_us /= 1000;
  const StagedProblem problem(layer, algebras::DataType::BF16);
  const StagedCosts costs(problem, 8192, wide);
  const Cost shared = costs(four), alone = costs(single);
  // Of 64 rows of X and 256 columns of W, a quarter of the latter are left: 2/5 of what is loaded.
  EXPECT_NEAR(shared["loads"], alone["loads"] * 2 / 5, 1e-9 * alone["loads"]);
  // Each takes in all of it.
  const StagedCosts of_device(problem, 8192, h200_machine);
  EXPECT_GT(of_device(four)["loads"], 0.7 * of_device(single)["loads"]);
  EXPECT_EQ(shared["memory"], alone["memory"]);
  EXPECT_EQ(shared.tiles, alone.tiles);
  EXPECT_GT(shared["feeding"], alone["feeding"]);
  EXPECT_GT(shared["caution"], alone["caution"]);
  // With 64 rows of a type there is nobody to share W with, and the second block of a cluster has only zeros.
  StagedSchedule pair = {64, 256, 64, 4};
  const double one_block = engineCost(layer, pair, algebras::DataType::BF16, 32 * 64)["tensor"];
  pair.cluster_rows = 2;
  EXPECT_GT(engineCost(layer, pair, algebras::DataType::BF16, 32 * 64)["tensor"], 1.9 * one_block);
  EXPECT_EQ(chooseEngine(layer, 32 * 64, algebras::DataType::BF16, h200_machine).cluster_rows, 1);
}

TEST(HopperChoice, SplitsLongContractionsOfFewTiles) {
  // One tile of 64 rows and 64 columns has 512 steps, and there are 8 of them.
  const algebras::Layer layer = projection(2, 2 * 16384, 2 * 128);
  const StagedSchedule chosen = chooseEngine(layer, 128, algebras::DataType::BF16, h200_machine);
  EXPECT_EQ(chosen.split_k, 8);
  StagedSchedule whole = chosen;
  whole.split_k = 1;
  whole.stages = stagesThatFit(StagedProblem(layer, algebras::DataType::BF16), whole);
  const Cost split = engineCost(layer, chosen, algebras::DataType::BF16, 128),
             alone = engineCost(layer, whole, algebras::DataType::BF16, 128);
  EXPECT_LT(split.total(), 0.5 * alone.total());
  EXPECT_EQ(split.tiles, alone.tiles);
  EXPECT_EQ(split.turns, 8 * alone.turns);
  EXPECT_EQ(split["memory"], alone["memory"]);
  EXPECT_EQ(split["products"] + split["padding"] + split["feeding"],
            alone["products"] + alone["padding"] + alone["feeding"]);
  EXPECT_GT(split["store"], alone["store"]);
  // Where every processor has a tile, sums on their way are all that it would add.
  EXPECT_EQ(
      chooseEngine(projection(32, 32 * 128, 32 * 128), 4096, algebras::DataType::BF16, h200_machine).split_k,
      1);
}

TEST(HopperChoice, PrefersTwoWarpgroupsWhereThereAreRowsEnough) {
  EXPECT_EQ(cheapestThatSharesNothing(projection(32, 32 * 256, 32 * 256), 8192).rows, 128);
  EXPECT_EQ(cheapestThatSharesNothing(projection(32, 32 * 160, 32 * 800), 32768).rows, 128);
  // Three hold all 192 rows of a type, of which two would leave 64 to a second tile.
  EXPECT_EQ(cheapestThatSharesNothing(projection(32, 32 * 256, 32 * 192), 32 * 192).rows, 192);
}

} // namespace
