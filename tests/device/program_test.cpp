// Programs for few rows and for rows at any positions: steps of vector reductions behind others, and of
// kernels that find rows in lists, launched by the runtime one after another with what they hand on in the
// workspace, and kernels of two layers, which hand nothing on; all carried out on the simulator.
#include "tests/device/program_call.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

using namespace device_test;

namespace {

/// Of kernels that find the rows of experts in lists.
constexpr const char *for_many_rows = "rows=16,columns=32,depth=16,stages=2,warps=1x1,vector=8";

std::vector<int64_t> positionsFrom(int64_t first, int64_t m) {
  std::vector<int64_t> positions(static_cast<size_t>(m));
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

TEST(DevicePrograms, OfFewRowsReduceVectors) {
  for (const int capability : {80, 90})
    for (const int64_t m : {1, 2, 7}) {
      SCOPED_TRACE(std::to_string(m) + " rows on " + std::to_string(capability));
      const DeviceUnderTest device(capability);
      ProgramCall call(device.context(), capability, m, static_cast<uint64_t>(m), 0, "",
                       compiler::Fusing::Products);
      call.p0 = 5;
      ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
      EXPECT_EQ(call.ran, (std::vector<Ran>{{"forward_0", Kind::Reduction}, {"forward_1", Kind::Reduction}}));
      EXPECT_EQ(call.began_early, std::vector<bool>({false, capability == 90}));
      call.expectRight(positionsFrom(5, m));
      if (HasFailure())
        return;
    }
}

// The second step begins before the first has ended, and touches nothing of what that writes before it has.
TEST(DevicePrograms, OfManyRowsInStepsBeginEarly) {
  const DeviceUnderTest device(90);
  ProgramCall call(device.context(), 90, 70, 19, 0, "rows=64,columns=16,depth=64,stages=3",
                   compiler::Fusing::Products);
  call.p0 = 1;
  ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(call.ran, (std::vector<Ran>{{"forward_0", Kind::InOrder}, {"forward_1", Kind::InOrder}}));
  EXPECT_EQ(call.began_early, std::vector<bool>({false, true}));
  call.expectRight(positionsFrom(1, 70));
}

// A step of decoding in steps needs one launch for gate and up, and one for down, also where one kernel that
// finds rows in a list is the best for 2 and for 64 rows.
TEST(DevicePrograms, OfFewRowsAtAnyPositionsReduceVectorsToo) {
  for (const int capability : {80, 90}) {
    const DeviceUnderTest device(capability);
    ProgramCall call(device.context(), capability, 3, 11, /*listed_rows=*/64, "", compiler::Fusing::Products);
    call.positions = {7, 2, 1'000'001};
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(call.ran, (std::vector<Ran>{{"forward_0", Kind::Reduction}, {"forward_1", Kind::Reduction}}));
    call.expectRight(call.positions);
  }
}

TEST(DevicePrograms, OfManyRowsAtAnyPositionsFindThemInLists) {
  const std::vector<Ran> expected = {
      {"", Kind::GroupRows}, {"forward_0", Kind::Listed}, {"forward_1", Kind::Listed}};
  for (const int capability : {80, 90}) {
    const DeviceUnderTest device(capability);
    ProgramCall call(device.context(), capability, 36, 12, /*listed_rows=*/512);
    for (int64_t row = 0; row < 36; ++row)
      call.positions.push_back(row * row + 3);
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(call.ran, expected);
    call.expectRight(call.positions);
    // Sequences that are no whole periods.
    call.positions.clear();
    call.sequence_rows = 18;
    call.p0 = 2;
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(call.ran, expected);
    std::vector<int64_t> positions = positionsFrom(2, 18);
    positions.insert(positions.end(), positions.begin(), positions.begin() + 18);
    call.expectRight(positions);
  }
}

// Both layers in one launch: what is between them is nowhere in the workspace, and the blocks of down come in
// boxes of their own.
TEST(DevicePrograms, OfTwoLayersAreOneLaunch) {
  for (const char *schedule : {"rows=64,hidden=32,depth=64,stages=4x2,stationary=2",
                               "rows=64,hidden=16,depth=32,stages=8x3,stationary=3,types=2,row_stages=1",
                               "rows=64,hidden=32,depth=64,stages=4x2,stationary=2,cluster_types=2",
                               "rows=64,hidden=16,depth=32,stages=16x5,stationary=2,ping_pong=2"}) {
    SCOPED_TRACE(schedule);
    const DeviceUnderTest device(90);
    ProgramCall call(device.context(), 90, 70, 13, /*listed_rows=*/0, schedule);
    EXPECT_EQ(call.workspaceBytes(), 0U);
    call.p0 = 3;
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(call.ran, (std::vector<Ran>{{"forward_0", Kind::InOrder}}));
    call.expectRight(positionsFrom(3, 70));
    // Rows at positions of their own are for vector reductions, or for the steps that --row-lists makes.
    call.p0 = 0;
    call.positions = positionsFrom(1, 70);
    std::swap(call.positions[0], call.positions[9]);
    EXPECT_EQ(call.run(), ALGRT_UNSUPPORTED);
    EXPECT_THAT(algrt_last_error(),
                testing::HasSubstr("has no kernel for CUDA devices that finds rows in a list"));
    EXPECT_TRUE(call.ran.empty());
  }
}

// Of a graph with missing edges the kernel reads from the terms table which groups a type has an edge to.
TEST(DevicePrograms, OfTwoLayersOverAGraphReadItsTerms) {
  const DeviceUnderTest device(90);
  ProgramCall call(device.context(), 90, 150, 13, /*listed_rows=*/0,
                   "rows=64,hidden=32,depth=64,stages=4x2,stationary=3", compiler::Fusing::Layers,
                   /*experts=*/0, "graph(4; 0->3, 1->0, 1->3, 3->2)");
  call.p0 = 2;
  ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(call.ran, (std::vector<Ran>{{"forward_0", Kind::InOrder}}));
  call.expectRight(positionsFrom(2, 150));
}

// The same for few rows: also where each is at a position of its own, and at addresses that are no multiples
// of a vector.
TEST(DevicePrograms, OfTwoLayersForFewRowsAreOneLaunchAtAnyPositions) {
  const struct {
    int capability;
    const char *schedule;
    int64_t listed_rows = 0; // for which the bundle is compiled with lists, too
  } cases[] = {{80, "reduce=16,rows=1,hidden=64,columns=64,vector=8", 64},
               {90, "reduce=16,rows=1,hidden=64,columns=64,vector=8", 64},
               {80, "reduce=32,rows=2,hidden=64,columns=64,vector=8"},
               {90, "reduce=32,rows=2,hidden=64,columns=128,vector=8,cluster=2"},
               {90, "reduce=32,rows=2,hidden=16,columns=32,vector=1,cluster=3"}};
  for (const auto &[capability, schedule, listed_rows] : cases) {
    SCOPED_TRACE(fmt::format("{}, lists for {}", schedule, listed_rows));
    const DeviceUnderTest device(capability);
    ProgramCall call(device.context(), capability, 3, 17, listed_rows, schedule);
    EXPECT_EQ(call.workspaceBytes(), 0U);
    call.p0 = 5;
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(call.ran, (std::vector<Ran>{{"forward_0", Kind::Reduction}}));
    call.expectRight(positionsFrom(5, 3));
    call.p0 = 0;
    call.positions = {7, 2, 1'000'001};
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(call.ran, (std::vector<Ran>{{"forward_0", Kind::Reduction}}));
    call.expectRight(call.positions);
  }
}

// Captures the call once and replays it, each time with other rows of x and what `change` has put in the
// place of the call's positions or of where the rows of experts begin.
void replay(const DeviceUnderTest &device, ProgramCall &call, const std::function<void(int time)> &change) {
  const algrt::cuda::Driver &driver = device.context().driver();
  ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error(); // loads the kernels
  const std::vector<Ran> launches = call.ran;
  algrt::cuda::Graph graph;
  algrt::cuda::GraphExec exec;
  ASSERT_EQ(driver.streamCreate(&call.stream, algrt::cuda::stream_default), algrt::cuda::Result::Success);
  ASSERT_EQ(driver.streamBeginCapture(call.stream, algrt::cuda::CaptureMode::Global),
            algrt::cuda::Result::Success);
  EXPECT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
  EXPECT_TRUE(call.ran.empty());
  ASSERT_EQ(driver.streamEndCapture(call.stream, &graph), algrt::cuda::Result::Success);
  ASSERT_EQ(driver.graphInstantiate(&exec, graph, 0), algrt::cuda::Result::Success);
  for (int time = 1; time <= 3; ++time) {
    SCOPED_TRACE("replay " + std::to_string(time));
    change(time);
    call.refill(static_cast<uint64_t>(100 * time));
    ASSERT_EQ(driver.graphLaunch(exec, call.stream), algrt::cuda::Result::Success);
    EXPECT_EQ(call.ran, launches);
    call.expectRight(call.positions);
  }
  driver.graphExecDestroy(exec);
  driver.graphDestroy(graph);
  driver.streamDestroy(call.stream);
}

// A step of decoding in a graph: nothing of where the rows are was read on the host.
TEST(DevicePrograms, OfTwoLayersInAGraphFollowThePositionsOnTheDevice) {
  for (const auto &[capability, schedule] :
       {std::pair<int, const char *>{80, "reduce=32,rows=2,hidden=64,columns=64,vector=8"},
        {90, "reduce=16,rows=4,hidden=32,columns=64,vector=8,cluster=2"}}) {
    SCOPED_TRACE(schedule);
    const DeviceUnderTest device(capability);
    ProgramCall call(device.context(), capability, 3, 19, 0, schedule);
    call.positions = {0, 1, 2};
    replay(device, call, [&](int time) {
      for (size_t row = 0; row < call.positions.size(); ++row)
        call.positions[row] = time == 3 ? 5 : static_cast<int64_t>(row) * 11 * time + 1;
    });
  }
}

// The same of experts: rows go from one to another between replays, and an expert may lose all of them.
TEST(DevicePrograms, OfExpertsInAGraphFollowTheStartsOnTheDevice) {
  const std::vector<int32_t> starts[] = {{0, 0, 6, 6, 6}, {0, 2, 3, 5, 6}, {0, 6, 6, 6, 6}};
  for (const compiler::Fusing fusing : {compiler::Fusing::Layers, compiler::Fusing::Products}) {
    const DeviceUnderTest device(90);
    ProgramCall call(device.context(), 90, 6, 23, 0,
                     fusing == compiler::Fusing::Layers ? "reduce=16,rows=2,hidden=64,columns=64,vector=8"
                                                        : "",
                     fusing, 4);
    call.starts = {0, 1, 2, 4, 6};
    call.positions = positionsFrom(0, 6);
    replay(device, call,
           [&](int time) { std::ranges::copy(starts[static_cast<size_t>(time) - 1], call.starts.begin()); });
  }
}

// So do experts with lists: rows come and go, and a number that is none of the batch's counts as the nearest.
TEST(DevicePrograms, OfExpertsInAGraphFollowTheListsOnTheDevice) {
  const std::vector<int32_t> starts[] = {{0, 0, 6, 6, 6}, {0, 2, 3, 5, 6}, {0, 3, 3, 4, 6}},
                             lists[] = {{3, 3, 0, 1, 2, 2}, {0, 1, 2, 3, 0, 1}, {-1, 4, 2, 1 << 30, 1, 3}};
  const std::pair<compiler::Fusing, const char *> kernels[] = {
      {compiler::Fusing::Layers, "reduce=16,rows=2,hidden=64,columns=64,vector=8"},
      {compiler::Fusing::Products, ""},
      {compiler::Fusing::Products, for_many_rows}};
  for (const auto &[fusing, schedule] : kernels) {
    SCOPED_TRACE(schedule);
    const DeviceUnderTest device(90);
    ProgramCall call(device.context(), 90, 6, 29, 0, schedule, fusing, 4);
    call.starts = {0, 1, 2, 4, 6};
    call.list = {2, 1, 0, 3, 1, 1};
    call.batch_rows = 4;
    call.positions = {6, 1, 0, 3};
    replay(device, call, [&](int time) {
      std::ranges::copy(starts[static_cast<size_t>(time) - 1], call.starts.begin());
      std::ranges::copy(lists[static_cast<size_t>(time) - 1], call.list.begin());
    });
  }
}

// Batches that are longer or shorter than the list, by a kernel of both layers and in steps, of which the
// second one reads what the first has left for each entry.
TEST(DevicePrograms, OfExpertsFindTheRowsOfLists) {
  const std::vector<int64_t> positions = {4, 0, 3, 3, 7, 2, 1, 6, 5};
  const std::vector<int32_t> list = {8, 0, 0, 5, 3, 8, 1};
  for (const compiler::Fusing fusing : {compiler::Fusing::Layers, compiler::Fusing::Products})
    for (const bool placed : {false, true}) {
      const DeviceUnderTest device(90);
      const bool layers = fusing == compiler::Fusing::Layers;
      ProgramCall call(device.context(), 90, 9, 31, 0,
                       layers ? "reduce=16,rows=4,hidden=64,columns=64,vector=8" : "", fusing, 4);
      call.list = list;
      call.starts = {0, 0, 5, 6, 7};
      call.p0 = placed ? 0 : 5;
      if (placed)
        call.positions = positions;
      ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
      EXPECT_EQ(call.ran.size(), layers ? 1U : 2U);
      call.expectRight(placed ? positions : positionsFrom(5, 9));
      call.batch_rows = 2;
      call.list = {1, 1, 0, 0, 1, 0, 1, 1, 0};
      call.starts = {0, 4, 4, 4, 9};
      if (placed)
        call.positions = {7, 2};
      ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
      call.expectRight(placed ? call.positions : positionsFrom(5, 2));
      if (HasFailure())
        return;
    }
}

// One launch for all experts, by a kernel of both layers and in steps, each on any number of blocks.
TEST(DevicePrograms, OfExpertsAreLaunchedOnceForAll) {
  const std::vector<int64_t> positions = {4, 0, 3, 3, 7, 2, 1, 6, 5};
  for (const int capability : {80, 90})
    for (const compiler::Fusing fusing : {compiler::Fusing::Layers, compiler::Fusing::Products})
      for (const bool placed : {false, true}) {
        SCOPED_TRACE(capability);
        const DeviceUnderTest device(capability);
        const bool layers = fusing == compiler::Fusing::Layers;
        const int64_t m = 9;
        ProgramCall call(device.context(), capability, m, 3, 0,
                         layers ? "reduce=16,rows=4,hidden=64,columns=64,vector=8" : "", fusing, 4);
        call.starts = {0, 0, 5, 6, 9};
        call.p0 = placed ? 0 : 5;
        if (placed)
          call.positions = positions;
        ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
        EXPECT_EQ(call.ran.size(), layers ? 1U : 2U);
        for (const Ran &ran : call.ran)
          EXPECT_EQ(ran.second, Kind::Reduction);
        call.expectRight(placed ? positions : positionsFrom(5, m));
        // The same launch for other rows of each: where they begin is the device's to know.
        call.starts = {0, 7, 8, 8, 9};
        ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
        call.expectRight(placed ? positions : positionsFrom(5, m));
        if (HasFailure())
          return;
      }
}

// With many rows the first step makes lists of its experts' rows, which all find theirs in and multiply by
// tensor cores; the same launches for other rows of each, for lists of rows, and where an expert has none.
TEST(DevicePrograms, OfExpertsWithManyRowsFindThemInLists) {
  const std::vector<Ran> expected = {
      {"", Kind::GroupRows}, {"forward_0", Kind::Listed}, {"forward_1", Kind::Listed}};
  const std::vector<int64_t> positions = {4, 0, 3, 3, 7, 2, 1, 6, 5};
  for (const int capability : {80, 90})
    for (const bool placed : {false, true}) {
      SCOPED_TRACE(capability);
      const DeviceUnderTest device(capability);
      ProgramCall call(device.context(), capability, 9, 3, 0, for_many_rows, compiler::Fusing::Products, 4);
      call.starts = {0, 0, 5, 6, 9};
      call.p0 = placed ? 0 : 5;
      if (placed)
        call.positions = positions;
      const std::vector<int64_t> at = placed ? positions : positionsFrom(5, 9);
      ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
      EXPECT_EQ(call.ran, expected);
      call.expectRight(at);
      call.starts = {0, 7, 8, 8, 9};
      ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
      call.expectRight(at);
      // The first step finds rows of x by the list, the second what the first has left for each entry.
      call.list = {8, 0, 0, 5, 3, 8, 1};
      call.starts = {0, 0, 5, 6, 7};
      ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
      EXPECT_EQ(call.ran, expected);
      call.expectRight(at);
      if (HasFailure())
        return;
    }
}

// Lists of experts need room in the workspace, which is asked for with their number.
TEST(DevicePrograms, OfExpertsWithManyRowsSayWhatTheListsNeed) {
  const DeviceUnderTest device(90);
  ProgramCall call(device.context(), 90, 9, 3, 0, for_many_rows, compiler::Fusing::Products, 4);
  call.starts = {0, 0, 5, 6, 9};
  call.workspace_short = 1;
  EXPECT_EQ(call.run(), ALGRT_WORKSPACE_TOO_SMALL);
  EXPECT_THAT(algrt_last_error(), testing::HasSubstr(fmt::format(
                                      "needs {} bytes for 9 rows: ask algrt_program_experts_workspace_size",
                                      call.workspaceBytes())));
}

// Of an expert a kernel knows the number, and where the weights of the first one are.
TEST(DevicePrograms, OfExpertsHaveNoGapsBetweenTheirWeights) {
  const DeviceUnderTest device(90);
  ProgramCall call(device.context(), 90, 4, 1, 0, "", compiler::Fusing::Products, 2);
  call.starts = {0, 1, 4};
  call.gap = 8;
  EXPECT_EQ(call.run(), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), testing::HasSubstr("gate: has blocks 524296 elements apart, needs 524288"));
}

TEST(DevicePrograms, OfExpertsAndOfOneNetworkAreNotMistaken) {
  const DeviceUnderTest device(90);
  ProgramCall experts(device.context(), 90, 4, 1, 0, "", compiler::Fusing::Products, 2);
  EXPECT_EQ(experts.run(), ALGRT_INVALID_ARGUMENT); // the shapes are those of two networks
  ProgramCall one_of_experts(device.context(), 90, 4, 1, 0, "", compiler::Fusing::Products, 1);
  EXPECT_EQ(one_of_experts.run(), ALGRT_UNSUPPORTED);
  EXPECT_THAT(algrt_last_error(),
              testing::HasSubstr("divide rows among experts: say where those of each begin"));
  one_of_experts.starts = {0, 4};
  EXPECT_EQ(one_of_experts.run(), ALGRT_OK) << algrt_last_error();
  one_of_experts.expectRight(positionsFrom(0, 4));
  ProgramCall network(device.context(), 90, 4, 1, 0, "", compiler::Fusing::Products);
  network.starts = {0, 4};
  EXPECT_EQ(network.run(), ALGRT_UNSUPPORTED);
  EXPECT_THAT(algrt_last_error(),
              testing::HasSubstr("no kernel for CUDA devices whose rows are divided among "
                                 "experts, of this map, type of the result and row types: compile a "
                                 "program with --experts"));
}

} // namespace
