// Schedules of the kernels whose threads copy: how they are written, what fits the machine, what is chosen.
#include "compiler/schedule/gpu_layer.h"
#include "compiler/schedule/staged.h"
#include "tests/schedule/staged_questions.h"

#include "algebras/constructions.h"
#include "algebras/error.h"
#include "algebras/expression.h"

#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace compiler;
using namespace schedule_test;
using algebras::DataType;
using testing::HasSubstr;

algebras::Layer projection(int64_t q, int64_t in, int64_t out, DataType dtype = DataType::BF16) {
  return algebras::makeLayer(algebras::Lift::rows(algebras::completeGraph(q)), in, out, dtype);
}

algebras::Layer slots(const std::string &expression, int64_t in, int64_t out) {
  return algebras::makeLayer(algebras::Lift::slots(algebras::parseExpression(expression)), in, out,
                             DataType::BF16);
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

TEST(ThreadsScheduleText, IsReadAndWritten) {
  const StagedSchedule schedule = threadsSchedule("rows=32,columns=96,depth=64,stages=3,warps=1x4,vector=2");
  EXPECT_EQ(schedule, StagedSchedule::ofThreads(32, 96, 64, 3, 1, 4, 2));
  EXPECT_EQ(threadsSchedule(toString(schedule)), schedule);
  EXPECT_EQ(threadsSchedule("columns=48"), StagedSchedule::ofThreads(64, 48, 32, 0, 2, 2, 0));
}

TEST(ThreadsScheduleText, SaysWhatIsWrong) {
  for (auto [text, message] :
       {std::pair("", "'' is not of the form name=number"),
        std::pair("rows=64,rows=64", "'rows' is given twice"),
        std::pair("types=1", "nothing in it is called 'types'"), std::pair("rows=6x", "'6x' is not a number"),
        std::pair("warps=4", "'4' is not of the form 2x4"),
        std::pair("warps=2x", "'2x' is not of the form 2x4"),
        std::pair("warps=x2", "'x2' is not of the form 2x4"),
        std::pair("warps=2x2x2", "'2x2x2' is not of the form 2x4"),
        std::pair("vector=", "'' is not a number"),
        std::pair("rows=65537", "'65537' is not a number up to 65536"),
        std::pair("warps=4294967296x4294967296", "with numbers up to 65536")})
    EXPECT_THAT(refused([&] { threadsSchedule(text); }), HasSubstr(message)) << text;
}

TEST(AmpereLegality, NamesWhatExceeds) {
  const algebras::Layer layer = projection(4, 512, 1024);
  auto why = [&](const std::string &schedule) { return whyIllegal(layer, threadsSchedule(schedule)); };
  EXPECT_EQ(why("rows=64"), "");
  EXPECT_EQ(why("rows=16,columns=16,depth=16,stages=2,warps=1x1,vector=1"), "");
  EXPECT_THAT(why("warps=0x2"), HasSubstr("0x2 warps"));
  EXPECT_THAT(why("warps=5x4"), HasSubstr("a block has 1 to 16"));
  EXPECT_THAT(why("rows=48"), HasSubstr("48 rows"));
  EXPECT_THAT(why("rows=0"), HasSubstr("0 rows"));
  EXPECT_THAT(why("rows=288"), HasSubstr("288 rows"));
  EXPECT_THAT(why("columns=24,warps=2x1"), HasSubstr("24 columns"));
  EXPECT_THAT(why("columns=48,warps=2x4"), HasSubstr("for each of 4 columns of warps"));
  EXPECT_THAT(why("depth=48"), HasSubstr("a depth of 48"));
  EXPECT_THAT(why("vector=3"), HasSubstr("vectors of 3"));
  EXPECT_THAT(why("stages=1"), HasSubstr("1 stages"));
  EXPECT_THAT(why("stages=9"), HasSubstr("9 stages"));
  // 256 sums of each thread, and 64 of many threads.
  EXPECT_THAT(why("rows=128,columns=128,warps=2x1"), HasSubstr("registers"));
  EXPECT_EQ(why("rows=128,columns=128,depth=16,warps=4x4"), "");
  EXPECT_THAT(why("rows=128,columns=256,depth=16,warps=4x4"), HasSubstr("which has 128"));
  // 64 x 64 and 64 x 256 bf16 are 40 KiB: two fit.
  EXPECT_EQ(why("columns=256,depth=64,stages=2,warps=2x4"), "");
  EXPECT_THAT(why("columns=256,depth=64,stages=3,warps=2x4"), HasSubstr("2 fit"));
}

TEST(AmpereLegality, CopiesTakeRegisters) {
  EXPECT_EQ(copiesOfThread(threadsSchedule("rows=64,columns=192,warps=2x2,depth=64,vector=8")), 16);
  EXPECT_EQ(copiesOfThread(threadsSchedule("rows=16,columns=16,warps=2x2,depth=16,vector=8")), 1);
  // 88 sums and operands: with 48 copies ptxas spills, with half of them it does not.
  const algebras::Layer layer = projection(4, 512, 1024);
  EXPECT_THAT(whyIllegal(layer, threadsSchedule("rows=64,columns=32,warps=1x1,depth=64,vector=4")),
              HasSubstr("registers"));
  EXPECT_EQ(whyIllegal(layer, threadsSchedule("rows=64,columns=32,warps=1x1,depth=64,vector=8")), "");
}

TEST(AmpereLegality, ScaledSumsAreThereTwice) {
  const algebras::Layer scaled = slots(
      R"(table({"dimension":2,"constants":[[0,0,0,"1"],[0,1,1,"1"],[1,0,1,"1"],[1,1,0,"-1/2"]]}))", 256, 256);
  const StagedSchedule wide = threadsSchedule("rows=128,columns=128,warps=2x2");
  EXPECT_EQ(whyIllegal(projection(4, 512, 1024), wide), "");
  EXPECT_THAT(whyIllegal(scaled, wide), HasSubstr("registers"));
}

// Addresses of rows from a list, at the edge of what a thread has: both spilled a word.
TEST(AmpereLegality, ListedRowsTakeRegisters) {
  const algebras::Layer layer = projection(16, 4096, 4096);
  algebras::Layer listed = layer;
  listed.row_types = algebras::RowTypes::explicitTypes(16);
  for (const char *text : {"rows=64,columns=64,depth=32,stages=2,warps=1x1",
                           "rows=64,columns=256,depth=64,stages=2,warps=2x2"}) {
    const StagedSchedule schedule = threadsSchedule(text);
    EXPECT_EQ(whyIllegal(layer, schedule), "") << text;
    EXPECT_THAT(whyIllegal(listed, schedule), HasSubstr("registers")) << text;
    // Of a gradient of the weight matrix they are those of both operands, and fit.
    EXPECT_FALSE(refusal(StagedProblem(listed, DataType::BF16, /*weight_gradient=*/true), schedule)) << text;
  }
}

TEST(AmpereLegality, VectorsDivideAllWidths) {
  for (auto [in, out, vector] : {std::tuple(64, 48, 8), std::tuple(20, 48, 4), std::tuple(64, 100, 4),
                                 std::tuple(6, 8, 2), std::tuple(5, 8, 1), std::tuple(8, 7, 1)}) {
    const algebras::Layer layer = projection(3, 3 * in, 3 * out);
    EXPECT_EQ(widestVector(layer), vector) << in << " " << out;
    EXPECT_EQ(completed(StagedProblem(layer, DataType::BF16), StagedSchedule::ofThreads()).vector, vector);
    StagedSchedule schedule = StagedSchedule::ofThreads();
    schedule.vector = vector;
    EXPECT_EQ(whyIllegal(layer, schedule), "");
    schedule.vector = 2 * vector;
    EXPECT_THAT(whyIllegal(layer, schedule), HasSubstr("vectors of"));
  }
}

TEST(AmpereLegality, SlotsBeginAtMultiplesOfTheSwizzlesPeriod) {
  EXPECT_EQ(stageBytes(StagedSchedule::ofThreads(64, 128, 32)), 64 * 32 * 2 + 32 * 128 * 2);
  EXPECT_EQ(stageBytes(StagedSchedule::ofThreads(16, 16, 16)), 1024 + 1024);
  const algebras::Layer layer = projection(4, 512, 1024);
  for (int64_t depth : {16, 32, 64}) {
    const StagedSchedule schedule = StagedSchedule::ofThreads(128, 256, depth, 0, 4, 4, 8);
    const int64_t fit = stagesThatFit(StagedProblem(layer, DataType::BF16), schedule);
    EXPECT_LE(fit * stageBytes(schedule), ampere_shared_bytes);
    EXPECT_TRUE(fit == most_ampere_stages || (fit + 1) * stageBytes(schedule) > ampere_shared_bytes);
  }
}

TEST(AmpereLayers, AreRefusedOnlyForWhatTheKernelsCannotDo) {
  auto refuse = [](const algebras::Layer &layer) {
    return refused([&] { requireGpuLayer(layer, "sm_80"); });
  };
  EXPECT_EQ(refuse(projection(7, 7 * 5, 7 * 3)), "");
  EXPECT_EQ(refuse(slots(R"(table({"dimension":1,"constants":[[0,0,0,"1/3"]]}))", 3, 5)), "");
  EXPECT_THAT(refuse(projection(4, 512, 768, DataType::F32)), HasSubstr("dtype bf16"));
  algebras::Layer layer = projection(2, 128, 128);
  layer.row_types = algebras::RowTypes::explicitTypes(2);
  EXPECT_EQ(refuse(layer), "");
  layer = projection(2, 128, 128);
  layer.out = algebras::Groups::explicitWidths({56, 72});
  EXPECT_EQ(refuse(layer), "");
  layer = projection(2, 128, 128);
  layer.row_types = algebras::RowTypes::interval(2, int64_t{1} << 30);
  EXPECT_THAT(refuse(layer), HasSubstr("count in 32 bits"));
}

TEST(AmpereCandidates, AreLegalForEveryLayer) {
  for (int64_t q : {1, 3, 32})
    for (int64_t in : {1, 5, 40, 64, 192})
      for (int64_t out : {1, 7, 104, 800})
        for (int64_t vector : {0, 1}) {
          const algebras::Layer layer = projection(q, q * in, q * out);
          const std::vector<StagedSchedule> candidates = threadsCandidates(layer, vector);
          ASSERT_FALSE(candidates.empty());
          for (const StagedSchedule &candidate : candidates) {
            EXPECT_EQ(whyIllegal(layer, candidate), "");
            EXPECT_TRUE(candidate.vector > 1 || copiesOfThread(candidate) <= most_single_copies)
                << toString(candidate);
            EXPECT_EQ(candidate.vector, vector ? vector : widestVector(layer));
            EXPECT_GE(candidate.stages, 2);
            // No 16 columns of a tile are zeros alone.
            EXPECT_TRUE(candidate.columns == 16 || candidate.columns - 16 < out) << toString(candidate);
          }
        }
}

TEST(AmpereChoice, IsTheCheapestCandidate) {
  const algebras::Layer layer = projection(32, 2048, 6144);
  const StagedSchedule chosen = chooseThreads(layer, 2048, DataType::BF16, 0, a100_machine);
  const ProjectionWork work = projectionWork(layer, 2048, DataType::BF16);
  const double cost = threadsCost(work, chosen, DataType::BF16, a100_machine).total();
  for (const StagedSchedule &candidate : threadsCandidates(layer, 0))
    EXPECT_LE(cost, threadsCost(work, candidate, DataType::BF16, a100_machine).total())
        << toString(candidate);
}

TEST(AmpereChoice, FewRowsOfATypeAreNotPadded) {
  // 512 rows of 32 types: 16 of each.
  for (const GpuMachine &machine : {a100_machine, h200_machine}) {
    EXPECT_EQ(chooseThreads(projection(32, 32 * 256, 32 * 192), 512, DataType::BF16, 0, machine).rows, 16);
    EXPECT_GE(chooseThreads(projection(2, 2 * 1024, 2 * 1024), 8192, DataType::BF16, 0, machine).rows, 64);
  }
}

TEST(AmpereChoice, RefusesAVectorThatTheLayerDoesNotAllow) {
  const algebras::Layer layer = projection(4, 80, 400);
  EXPECT_EQ(chooseThreads(layer, 64, DataType::BF16, 1, h200_machine).vector, 1);
  EXPECT_THAT(refused([&] { chooseThreads(layer, 64, DataType::BF16, 8, h200_machine); }),
              HasSubstr("vectors of 8"));
}

TEST(AmpereCost, CountsBytesOnceAndPaddingInFull) {
  const algebras::Layer layer = projection(2, 4096, 4096);
  const StagedSchedule schedule = StagedSchedule::ofThreads(128, 128, 32, 3, 2, 2, 8);
  auto cost = [&](int64_t m, StagedSchedule schedule, DataType output = DataType::BF16) {
    return threadsCost(projectionWork(layer, m, output), schedule, output, a100_machine);
  };
  const Cost full = cost(4096, schedule);
  EXPECT_NEAR(full["memory"], 3 * 2.0 * 4096 * 4096 / a100_machine.memory_bytes_per_us, 1e-6);
  // 2 types of 2048 rows and 2 groups of 2048 columns, 1.5 terms of 2048 deep each.
  EXPECT_NEAR(full["products"],
              4 * 2048.0 * 2048 * 1.5 * 2048 /
                  (a100_machine.macs_per_cycle * a100_machine.multiprocessors * a100_machine.clock),
              1e-6);
  EXPECT_GE(full.total(), std::max({full["memory"], full["loads"], full["multiprocessor"]}));
  // 2049 rows of a type need one more block of 128 than 2048.
  EXPECT_NEAR(cost(4098, schedule)["products"], full["products"] * 17 / 16, 1e-9);
  EXPECT_GT(cost(4096, schedule, DataType::F32)["memory"], full["memory"]);
  // Two tiles for each of few multiprocessors: a ring of two slots has too little on its way.
  EXPECT_GT(cost(256, StagedSchedule::ofThreads(128, 128, 32, 2, 2, 2, 8))["loads"],
            cost(256, schedule)["loads"]);
  // Short vectors are more instructions, single elements wait besides.
  StagedSchedule shorter = schedule;
  shorter.vector = 2;
  EXPECT_GT(cost(4096, shorter)["issue"], full["issue"]);
  shorter.vector = 1;
  EXPECT_GT(cost(4096, shorter)["latency"], full["latency"]);
}

// Every constant of a machine is the model's only source of what it describes.
TEST(AmpereCost, FollowsTheMachine) {
  const algebras::Layer layer = projection(2, 4096, 4096);
  const StagedSchedule schedule = StagedSchedule::ofThreads(64, 64, 32, 2, 2, 2, 1);
  const ProjectionWork work = projectionWork(layer, 4096, DataType::BF16);
  auto on = [&](const std::function<void(GpuMachine &)> &change) {
    GpuMachine machine = h200_machine;
    change(machine);
    return threadsCost(work, schedule, DataType::BF16, machine);
  };
  const Cost usual = on([](GpuMachine &) {});
  const Cost halved = on([](GpuMachine &machine) { machine.clock /= 2; });
  for (const char *part : {"products", "shared", "issue", "latency", "tile ends"})
    EXPECT_DOUBLE_EQ(halved[part], 2 * usual[part]);
  EXPECT_DOUBLE_EQ(halved["loads"], usual["loads"]);
  EXPECT_DOUBLE_EQ(on([](GpuMachine &machine) { machine.multiprocessors /= 2; })["products"],
                   2 * usual["products"]);
  EXPECT_DOUBLE_EQ(on([](GpuMachine &machine) { machine.macs_per_cycle *= 2; })["products"],
                   usual["products"] / 2);
  EXPECT_DOUBLE_EQ(on([](GpuMachine &machine) { machine.memory_bytes_per_us *= 2; })["memory"],
                   usual["memory"] / 2);
  EXPECT_DOUBLE_EQ(on([](GpuMachine &machine) { machine.cache_bytes_per_us *= 2; })["loads"],
                   usual["loads"] / 2);
  EXPECT_DOUBLE_EQ(on([](GpuMachine &machine) { machine.bytes_in_flight = 1e9; })["loads"] / usual["loads"],
                   on([](GpuMachine &machine) { machine.bytes_in_flight = 2e9; })["loads"] / usual["loads"] /
                       2);
  EXPECT_DOUBLE_EQ(on([](GpuMachine &machine) { machine.shared_bytes_per_cycle *= 2; })["shared"],
                   usual["shared"] / 2);
  EXPECT_DOUBLE_EQ(on([](GpuMachine &machine) { machine.issues_per_cycle *= 2; })["issue"],
                   usual["issue"] / 2);
  EXPECT_GT(on([](GpuMachine &machine) { machine.memory_latency *= 2; })["latency"], usual["latency"]);
  EXPECT_DOUBLE_EQ(on([](GpuMachine &machine) { machine.launch_us = 7; })["launch"], 7);
  // Where blocks do not share a multiprocessor, whatever keeps them off it, each waits alone.
  const double alone = on([](GpuMachine &machine) { machine.most_blocks = 1; })["latency"];
  EXPECT_GT(alone, usual["latency"]);
  EXPECT_DOUBLE_EQ(on([](GpuMachine &machine) { machine.shared_bytes = 20e3; })["latency"], alone);
  EXPECT_DOUBLE_EQ(on([](GpuMachine &machine) { machine.registers = 20e3; })["latency"], alone);
  EXPECT_DOUBLE_EQ(on([](GpuMachine &machine) { machine.most_threads = 128; })["latency"], alone);
}

} // namespace
