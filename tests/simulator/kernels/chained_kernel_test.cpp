// Kernels of two layers on the model: every form of a tile, beside dense products in double precision.
#include "tests/simulator/kernels/chained_case.h"

#include <gtest/gtest.h>

#include <string>

using namespace simulator_test;

namespace {

struct Case {
  const char *name;
  ChainedKernel kernel;
  int64_t m, p0;
  int32_t blocks;
};

void PrintTo(const Case &which, std::ostream *stream) { *stream << which.name; }

using ChainedKernelTest = testing::TestWithParam<Case>;

TEST_P(ChainedKernelTest, IsExact) {
  const Case &which = GetParam();
  const compiler::SimulatedKernel kernel =
      compiler::SimulatedKernel::parse(emittedKernel(which.kernel), which.name);
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    compiler::SimulationSettings settings;
    settings.seed = seed;
    settings.blocks = which.blocks + static_cast<int32_t>(seed % 2);
    settings.x_padding = static_cast<int64_t>(seed % 2);
    settings.w_padding = static_cast<int64_t>(seed / 2 % 2);
    settings.further_padding = static_cast<int64_t>(seed % 3);
    const ExactCase::Objection objection =
        ChainedCase(which.kernel, which.m, which.p0, seed).run(kernel, settings);
    EXPECT_EQ(objection.kind, "") << "seed " << seed << ": " << objection.text;
  }
}

// Of two warpgroups that take chunks in turn each waits for the other's blocks as well, and releases them.
// Lanes of a warp that do not meet before one of them does may miss the fill that they wait for, and the next
// one: rarely, so that it takes many seeds to see.
TEST(ChainedKernel, LanesThatDoNotMeetMissAFill) {
  const ChainedKernel kernel{"Q(3)", 144, 120, 48,
                             "rows=64,hidden=16,depth=48,stages=5x4,stationary=3,ping_pong=2"};
  const std::string whole = emittedKernel(kernel);
  const std::string apart = withoutLines(whole, "nvvm.bar.warp.sync");
  ASSERT_NE(apart.size(), whole.size());
  const auto objection = [&](const std::string &text, uint64_t seed) {
    compiler::SimulationSettings settings;
    settings.seed = seed;
    settings.blocks = 2;
    return ChainedCase(kernel, 194, 1, seed)
        .run(compiler::SimulatedKernel::parse(text, "network"), settings)
        .kind;
  };
  std::string found;
  uint64_t seed = 0;
  while (found.empty() && ++seed <= 400)
    found = objection(apart, seed);
  EXPECT_EQ(found, "deadlock");
  EXPECT_EQ(objection(whole, seed), "");
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, ChainedKernelTest,
    testing::Values(
        // Every step is one of each loop: hidden groups of one chunk, inputs of one depth.
        Case{"Small", {"Q(3)", 96, 96, 48, "rows=64,hidden=32,depth=32,stages=2x2,stationary=3"}, 194, 1, 2},
        // Several chunks and depths, the last of both shorter: 80 = 64 + 16 hidden columns, 72 = 2 x 32 + 8
        // of the depth.
        Case{"Ragged",
             {"Q(3)", 216, 240, 168, "rows=64,hidden=64,depth=32,stages=4x2,stationary=2"},
             201,
             4,
             2},
        // What is hidden ends in the middle of an instruction's depth: 24 of 32, and 56 of 64.
        Case{
            "Clipped", {"Q(2)", 64, 48, 32, "rows=64,hidden=32,depth=32,stages=2x2,stationary=1"}, 130, 1, 1},
        Case{"ClippedLast",
             {"Q(2)", 64, 240, 32, "rows=64,hidden=64,depth=32,stages=3x2,stationary=2"},
             130,
             0,
             3},
        // The same where a map leaves no number beyond the last column.
        Case{"ClippedNoNumbers",
             {.algebra = "Q(2)",
              .in = 64,
              .hidden = 240,
              .out = 32,
              .schedule = "rows=64,hidden=64,depth=32,stages=3x2,stationary=2",
              .divides = true},
             130,
             0,
             3},
        // Two warpgroups with rows of one type, and with one type each; three types.
        Case{"Tall", {"Q(2)", 96, 128, 64, "rows=128,hidden=32,depth=16,stages=6x3,stationary=2"}, 270, 1, 2},
        Case{"Types",
             {"Q(5)", 160, 160, 80, "rows=64,hidden=32,depth=32,stages=3x3,stationary=2,types=2"},
             323,
             3,
             2},
        Case{
            "ThreeTypes",
            {"Q(4)", 128, 160, 64, "rows=64,hidden=16,depth=16,stages=9x4,stationary=4,types=3,row_stages=1"},
            257,
            2,
            3},
        Case{"TallTypes",
             {"Q(3)", 48, 96, 48, "rows=128,hidden=32,depth=16,stages=3x3,stationary=1,types=2,row_stages=1"},
             389,
             0,
             2},
        // Chunks that are multiplied behind the next one's products: two chunks, the last of them shorter and
        // clipped; several steps of depth and one as deep as the input group; several warpgroups, and several
        // types of which some own the hidden group.
        Case{"Overlap",
             {"Q(3)", 96, 192, 48, "rows=64,hidden=32,depth=32,stages=2x2,stationary=3,overlap=1"},
             194,
             1,
             2},
        Case{"OverlapRagged",
             {"Q(3)", 216, 240, 168, "rows=64,hidden=64,depth=32,stages=4x3,stationary=2,overlap=1"},
             201,
             4,
             2},
        Case{"OverlapOfWholeGroups",
             {.algebra = "Q(2)",
              .in = 160,
              .hidden = 304,
              .out = 96,
              .schedule = "rows=64,hidden=64,depth=80,stages=2x2,stationary=2,row_stages=1,overlap=1",
              .rows_read = true,
              .divides = true},
             130,
             0,
             3},
        Case{"OverlapOneProduct",
             {"Q(4)", 128, 256, 64, "rows=128,hidden=16,depth=32,stages=2x2,stationary=2,overlap=1", "cyclic",
              1},
             530,
             0,
             2},
        Case{"OverlapTypes",
             {"Q(5)", 160, 320, 80, "rows=64,hidden=32,depth=32,stages=3x3,stationary=2,types=2,overlap=1"},
             323,
             3,
             2},
        // Two warpgroups that take chunks in turn: two chunks and three, the last one shorter and clipped;
        // several steps of depth, one as deep as the input group; rings longer than two chunks; one product.
        Case{"PingPong",
             {"Q(3)", 96, 192, 48, "rows=64,hidden=32,depth=32,stages=4x4,stationary=3,ping_pong=2"},
             194,
             1,
             2},
        Case{"PingPongRagged",
             {"Q(3)", 216, 600, 168,
              "rows=64,hidden=64,depth=32,stages=12x5,stationary=2,row_stages=1,ping_pong=2", "cyclic", 1},
             201,
             4,
             2},
        Case{"PingPongOfWholeGroups",
             {.algebra = "Q(2)",
              .in = 160,
              .hidden = 304,
              .out = 96,
              .schedule = "rows=64,hidden=64,depth=80,stages=4x5,stationary=2,row_stages=1,ping_pong=2",
              .rows_read = true,
              .divides = true},
             130,
             0,
             3},
        // Rings that are no multiple of a chunk's blocks, and longer than two chunks'; the types' own group
        // last in a turn.
        Case{"PingPongOdd",
             {"Q(3)", 144, 120, 48, "rows=64,hidden=16,depth=48,stages=5x4,stationary=3,ping_pong=2"},
             194,
             1,
             2},
        Case{"PingPongLong",
             {"Q(4)", 192, 256, 64, "rows=64,hidden=16,depth=48,stages=6x6,stationary=2,ping_pong=2"},
             300,
             2,
             2},
        Case{"PingPongIntervals",
             {"Q(4)", 128, 320, 64, "rows=64,hidden=16,depth=32,stages=7x4,stationary=3,ping_pong=2",
              "interval(100)"},
             530,
             150,
             3},
        // Graphs with missing edges: what a type has no edge to is a map of nothing. One vertex has no edges
        // out, one none in; paths, and no edges at all.
        Case{"Graph",
             {.algebra = "graph(5; 0->1, 0->4, 1->0, 1->2, 3->0, 3->1, 4->3)",
              .in = 160,
              .hidden = 240,
              .out = 80,
              .schedule = "rows=64,hidden=32,depth=32,stages=3x2,stationary=3",
              .rows_read = true},
             331,
             3,
             3},
        Case{"GraphPingPong",
             {"graph(4; 0->3, 1->0, 1->3, 3->2)", 128, 320, 64,
              "rows=64,hidden=16,depth=16,stages=9x5,stationary=2,ping_pong=2", "interval(100)"},
             530,
             150,
             3},
        Case{"PathOverlap",
             {"path(4)", 128, 192, 64, "rows=128,hidden=16,depth=32,stages=2x2,stationary=4,overlap=1",
              "cyclic", 1},
             270,
             1,
             2},
        Case{"NoEdges",
             {"graph(3; )", 96, 192, 48, "rows=64,hidden=32,depth=32,stages=3x2,stationary=3"},
             194,
             1,
             2},
        // Fewer rows than types; none in most tiles.
        Case{"FewRows",
             {"Q(8)", 256, 256, 128, "rows=64,hidden=32,depth=32,stages=2x2,stationary=3"},
             3,
             6,
             4},
        Case{"FewRowsOfTypes",
             {"Q(8)", 256, 256, 128, "rows=64,hidden=32,depth=32,stages=3x3,stationary=5,types=2"},
             5,
             7,
             4},
        // Runs of rows, the first and the last of them partial.
        Case{"Runs",
             {"Q(3)", 96, 96, 48, "rows=64,hidden=32,depth=32,stages=2x2,stationary=2", "interval(70)"},
             333,
             37,
             2},
        // Runs that are joined, of one type in a tile and of two, in turn, and in a graph; maps read rows.
        Case{"JoinedRuns",
             {.algebra = "Q(3)",
              .in = 96,
              .hidden = 96,
              .out = 48,
              .schedule = "rows=64,hidden=32,depth=32,stages=2x2,stationary=2",
              .row_types = "interval(4)",
              .rows_read = true},
             333,
             37,
             2},
        Case{"JoinedRunsOfTwoTypes",
             {"Q(4)", 128, 192, 64, "rows=64,hidden=32,depth=32,stages=3x3,stationary=4,types=2",
              "interval(16)"},
             301,
             5,
             3},
        Case{"JoinedRunsPingPong",
             {"Q(4)", 128, 320, 64, "rows=64,hidden=16,depth=32,stages=7x4,stationary=3,ping_pong=2",
              "interval(2)"},
             530,
             151,
             3},
        // A layer of one product, maps that read rows, and schedules by cost.
        Case{"OneProduct",
             {"Q(4)", 128, 128, 64, "rows=64,hidden=32,depth=32,stages=2x2,stationary=2", "cyclic", 1},
             260,
             0,
             2},
        // Blocks of both layers have one size, and more stages than one ring has barriers for.
        Case{"TwoRings",
             {"Q(4)", 256, 512, 256, "rows=64,hidden=64,depth=64,stages=14x4,stationary=1", "cyclic", 1},
             260,
             0,
             2},
        Case{"RowsRead",
             {"Q(3)", 96, 144, 72, "rows=64,hidden=32,depth=32,stages=2x2,stationary=2", "cyclic", 2, true},
             194,
             2,
             2},
        Case{"Chosen", {"Q(4)", 256, 384, 128, "", "cyclic", 2, true, 1024}, 300, 1, 5},
        Case{"ChosenForTypes", {"Q(6)", 240, 336, 144, "", "cyclic", 2, false, 4096}, 500, 2, 7}),
    [](const testing::TestParamInfo<Case> &info) { return info.param.name; });

// Blocks of a cluster with consecutive types, which load for each other what an output group has for all of
// them.
INSTANTIATE_TEST_SUITE_P(
    Clusters, ChainedKernelTest,
    testing::Values(
        // As many types as blocks; five types for clusters of two, and of four, the last of which has blocks
        // without a type.
        Case{"Pair",
             {"Q(2)", 64, 64, 32, "rows=64,hidden=16,depth=16,stages=4x2,stationary=2,cluster_types=2"},
             130,
             1,
             2},
        Case{"PairOverlap",
             {"Q(3)", 96, 144, 48,
              "rows=64,hidden=16,depth=16,stages=4x2,stationary=2,cluster_types=2,overlap=1"},
             194,
             1,
             2},
        Case{"Pairs",
             {"Q(5)", 160, 240, 80, "rows=64,hidden=32,depth=32,stages=4x2,stationary=2,cluster_types=2"},
             331,
             3,
             4},
        Case{"Fours",
             {"Q(5)", 160, 240, 80,
              "rows=64,hidden=32,depth=32,stages=5x3,stationary=3,cluster_types=4,row_stages=1"},
             331,
             4,
             9},
        // Clusters with tiles of two types: four of five, and the one that is left.
        Case{"PairsOfTypes",
             {"Q(5)", 160, 240, 80,
              "rows=64,hidden=32,depth=32,stages=6x3,stationary=2,types=2,cluster_types=2"},
             323,
             3,
             4},
        Case{"TallPairs",
             {"Q(3)", 96, 96, 48, "rows=128,hidden=32,depth=16,stages=6x3,stationary=2,cluster_types=2"},
             390,
             1,
             3},
        // Fewer rows than types: the last cluster has blocks without any.
        Case{"FewRowsOfPairs",
             {"Q(8)", 256, 256, 128, "rows=64,hidden=32,depth=32,stages=2x2,stationary=3,cluster_types=2"},
             3,
             6,
             4},
        Case{"FewRowsOfFours",
             {"Q(8)", 256, 256, 128,
              "rows=64,hidden=32,depth=32,stages=3x2,stationary=8,cluster_types=4,row_stages=1"},
             5,
             7,
             8},
        // Runs of rows, the first and the last of them partial; the last cluster may have one of them.
        Case{"RunsOfPairs",
             {"Q(3)", 96, 96, 48, "rows=64,hidden=32,depth=32,stages=2x2,stationary=2,cluster_types=2",
              "interval(70)"},
             333,
             37,
             4},
        Case{"OneProductOfPairs",
             {"Q(4)", 128, 128, 64, "rows=64,hidden=32,depth=32,stages=3x2,stationary=2,cluster_types=2",
              "cyclic", 1},
             260,
             0,
             2},
        Case{"RowsReadByPairs",
             {"Q(3)", 96, 144, 72, "rows=64,hidden=32,depth=32,stages=2x2,stationary=2,cluster_types=2",
              "cyclic", 2, true},
             194,
             2,
             2},
        // Both layers' blocks are of one size, and share two rings.
        Case{"SharedRingsOfPairs",
             {"Q(3)", 192, 192, 192, "rows=64,hidden=64,depth=64,stages=3x2,stationary=2,cluster_types=2",
              "cyclic", 1},
             194,
             2,
             2},
        // Parts of what is shared, and boxes of what is not, that lie beyond the group's end: 24 deep in
        // steps of 64, of which two blocks load 32 rows each; hidden groups of 24 columns; and no numbers
        // behind them.
        Case{"ClippedPairs",
             {.algebra = "Q(3)",
              .in = 72,
              .hidden = 72,
              .out = 24,
              .schedule = "rows=64,hidden=64,depth=64,stages=2x2,stationary=3,cluster_types=2",
              .divides = true},
             194,
             1,
             3},
        Case{"RaggedFours",
             {"Q(4)", 288, 320, 224, "rows=64,hidden=64,depth=32,stages=4x2,stationary=3,cluster_types=4"},
             200,
             4,
             4}),
    [](const testing::TestParamInfo<Case> &info) { return info.param.name; });

// A cluster changes who loads, not in which order anybody adds: numbers that round in every sum are the same,
// bit for bit.
TEST(ClustersOfLayers, DoNotChangeABit) {
  for (const auto &[alone, together] :
       {std::pair{"rows=64,hidden=32,depth=32,stages=4x2,stationary=2", ",cluster_types=2"},
        std::pair{"rows=64,hidden=32,depth=32,stages=4x2,stationary=5", ",cluster_types=4"},
        std::pair{"rows=64,hidden=32,depth=32,stages=6x3,stationary=3,types=2", ",cluster_types=2"}}) {
    SCOPED_TRACE(std::string(alone) + together);
    ChainedKernel kernel{"Q(5)", 160, 240, 80, alone};
    const auto parse = [&] { return compiler::SimulatedKernel::parse(emittedKernel(kernel), "layers"); };
    const compiler::SimulatedKernel of_one = parse();
    kernel.schedule += together;
    const compiler::SimulatedKernel of_several = parse();
    EXPECT_EQ(of_one.description().cluster, 1);
    EXPECT_GT(of_several.description().cluster, 1);
    ChainedCase product(kernel, 331, 2, 5);
    product.takeRoughNumbers(17);
    compiler::SimulationSettings settings;
    settings.blocks = 5;
    EXPECT_EQ(product.results(of_one, settings), product.results(of_several, settings));
  }
}

} // namespace
