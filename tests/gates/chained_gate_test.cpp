// Feed-forward networks in one kernel, by the schedules that are chosen for them: products from registers,
// with nothing spilled and no product waiting for another that ptxas could not tell apart.
#include "tests/gates/gate.h"
#include "tests/gates/with_assembler.h"
#include "tests/simulator/kernels/chained_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace simulator_test;

namespace {

struct ChainedGateCase {
  const char *name;
  ChainedKernel kernel;
};

void PrintTo(const ChainedGateCase &which, std::ostream *stream) { *stream << which.name; }

using ChainedGate = gates::WithAssembler<testing::TestWithParam<ChainedGateCase>>;

TEST_P(ChainedGate, Passes) {
  const ChainedKernel &kernel = GetParam().kernel;
  const gates::Evidence evidence = gates::collectEvidence(emittedKernel(kernel), kernel.target);
  EXPECT_THAT(gates::objections(evidence), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, ChainedGate,
    testing::Values(
        ChainedGateCase{"Qwen1_7B", {"Q(32)", 2048, 6144, 2048, ""}},
        ChainedGateCase{"Qwen4B", {"Q(32)", 2560, 9728, 2560, ""}},
        ChainedGateCase{"Qwen8B", {"Q(32)", 4096, 12288, 4096, ""}},
        ChainedGateCase{"Qwen30BExpert", {"Q(32)", 2048, 768, 2048, ""}},
        ChainedGateCase{"Ungated", {"Q(12)", 768, 3072, 768, "", "cyclic", 1}},
        ChainedGateCase{"DeepSeekExpert", {"Q(32)", 7168, 2048, 7168, ""}},
        ChainedGateCase{"ManyRows", {"Q(32)", 2048, 6144, 2048, "", "cyclic", 2, false, 8192}},
        ChainedGateCase{"RowsRead", {"Q(32)", 2048, 6144, 2048, "", "cyclic", 2, true}},
        ChainedGateCase{"OneProduct", {"Q(32)", 2048, 6144, 2048, "", "cyclic", 1}},
        ChainedGateCase{"ThreeTypes",
                        {"Q(32)", 2048, 6144, 2048,
                         "rows=64,hidden=32,depth=64,stages=4x4,stationary=8,types=3,row_stages=1"}},
        // Chosen for the widest networks, too: maps that run beside the second layer's products.
        ChainedGateCase{"OverlapInSteps",
                        {"Q(32)", 2560, 9728, 2560,
                         "rows=64,hidden=64,depth=32,stages=9x4,stationary=8,overlap=1", "cyclic", 2, true}},
        ChainedGateCase{
            "OverlapTypes",
            {"Q(32)", 2048, 6144, 2048,
             "rows=64,hidden=32,depth=64,stages=4x4,stationary=8,types=3,row_stages=1,overlap=1"}},
        // Chosen for 4B, too: warpgroups that take chunks in turn. Of an even number of chunks, with numbers
        // of rows and columns, and of one product.
        ChainedGateCase{"PingPong",
                        {"Q(32)", 2560, 8192, 2560,
                         "rows=64,hidden=64,depth=80,stages=4x4,stationary=8,ping_pong=2", "cyclic", 2,
                         true}},
        ChainedGateCase{"PingPongInSteps",
                        {"Q(32)", 4096, 9728, 2048,
                         "rows=64,hidden=32,depth=64,stages=8x4,stationary=8,ping_pong=2", "cyclic", 1}},
        // Graphs with missing edges, by the schedules that are chosen for them.
        ChainedGateCase{"Graph",
                        {"graph(6; 0->1, 0->4, 1->0, 1->2, 3->0, 3->1, 4->3, 5->2)", 1536, 4608, 1536, ""}},
        ChainedGateCase{"Path", {"path(32)", 2560, 9728, 2560, "", "cyclic", 2, true}},
        // Clusters along the types, of two, of two that own two types each, and of four.
        ChainedGateCase{"Pairs8B",
                        {"Q(32)", 4096, 12288, 4096,
                         "rows=64,hidden=64,depth=64,stages=6x2,stationary=8,row_stages=1,cluster_types=2"}},
        ChainedGateCase{"PairsOfTypes",
                        {"Q(32)", 2048, 6144, 2048,
                         "rows=64,hidden=32,depth=64,stages=0x3,stationary=8,types=2,cluster_types=2"}},
        ChainedGateCase{"Fours",
                        {"Q(32)", 2048, 6144, 2048,
                         "rows=64,hidden=64,depth=64,stages=0x2,stationary=8,cluster_types=4,row_stages=1"}},
        // Few rows: by the schedules that are chosen for 1, 8 and 64 of them.
        ChainedGateCase{"OneRow", {"Q(32)", 2048, 6144, 2048, "", "cyclic", 2, false, 1}},
        ChainedGateCase{"OneRow8B", {"Q(32)", 4096, 12288, 4096, "", "cyclic", 2, true, 1}},
        ChainedGateCase{"EightRows", {"Q(32)", 2048, 6144, 2048, "", "cyclic", 2, false, 8}},
        ChainedGateCase{"SixtyFourRows", {"Q(32)", 2048, 768, 2048, "", "cyclic", 2, false, 64}},
        // The same of experts, of one row and of 32 for each, and on a device without clusters.
        ChainedGateCase{"ExpertsOfOneRow",
                        {.algebra = "Q(32)",
                         .in = 2048,
                         .hidden = 768,
                         .out = 2048,
                         .schedule = "",
                         .rows = 64,
                         .experts = 64}},
        ChainedGateCase{"ExpertsOfManyRows",
                        {.algebra = "Q(32)",
                         .in = 7168,
                         .hidden = 2048,
                         .out = 7168,
                         .schedule = "",
                         .rows = 2048,
                         .experts = 64}},
        ChainedGateCase{"ExpertsOnAmpere",
                        {.algebra = "Q(32)",
                         .in = 2048,
                         .hidden = 768,
                         .out = 2048,
                         .schedule = "",
                         .rows = 256,
                         .target = "sm_80",
                         .experts = 64}},
        ChainedGateCase{"OneRowOfTriangular", {"T(4)", 2048, 6144, 2048, "", "cyclic", 2, false, 1}}),
    [](const testing::TestParamInfo<ChainedGateCase> &info) { return info.param.name; });

} // namespace
