// Calls captured into a graph: what a replay computes follows from what stands on the device then, since
// nothing of it was read on the host.
#include "tests/device/device_call.h"

#include <functional>
#include <gtest/gtest.h>

using namespace device_test;
using algrt::ElementType;
using algrt::Map;

namespace {

// Captures the call and replays it, each time with other numbers of rows and other operands.
void replay(const DeviceUnderTest &device, DeviceCall &call, int launches,
            const std::function<std::vector<int64_t>(int)> &numbers,
            const std::function<std::vector<int32_t>(const std::vector<int64_t> &)> &types) {
  const algrt::cuda::Driver &driver = device.context().driver();
  ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error(); // loads the kernels
  call.device.ran.clear();
  algrt::cuda::Stream stream;
  algrt::cuda::Graph graph;
  algrt::cuda::GraphExec exec;
  ASSERT_EQ(driver.streamCreate(&stream, algrt::cuda::stream_default), algrt::cuda::Result::Success);
  call.stream = stream;
  ASSERT_EQ(driver.streamBeginCapture(stream, algrt::cuda::CaptureMode::Global),
            algrt::cuda::Result::Success);
  EXPECT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(call.device.ran.size(), 0u);
  ASSERT_EQ(driver.streamEndCapture(stream, &graph), algrt::cuda::Result::Success);
  ASSERT_EQ(driver.graphInstantiate(&exec, graph, 0), algrt::cuda::Result::Success);
  for (int time = 1; time <= 3; ++time) {
    const std::vector<int64_t> given = numbers(time);
    call.replace(given);
    call.refill(static_cast<uint64_t>(100 * time));
    call.device.ran.clear();
    ASSERT_EQ(driver.graphLaunch(exec, stream), algrt::cuda::Result::Success);
    EXPECT_EQ(call.device.ran.size(), static_cast<size_t>(launches));
    call.expectRight(types(given), "replay " + std::to_string(time));
  }
  driver.graphExecDestroy(exec);
  driver.graphDestroy(graph);
  driver.streamDestroy(stream);
}

std::vector<int32_t> asTypes(const std::vector<int64_t> &given) { return {given.begin(), given.end()}; }

// From all rows of one type to all of another, and through every distribution between.
TEST(DeviceGraph, FollowsTheTypesOnTheDevice) {
  compiler::CompileOptions options;
  options.targets = {compiler::Target::Sm90a};
  options.rows = 64;
  CompiledBundle bundle(specOf({.algebra = "Q(4)", .in = 64, .out = 64, .row_types = "explicit"}), options);
  constexpr int64_t m = 50;
  const auto numbers = [](int time) {
    std::vector<int64_t> types;
    for (int64_t row = 0; row < m; ++row)
      types.push_back(time == 1 ? 3 : time == 2 ? row % 4 : row < 5 ? 2 : 0);
    return types;
  };
  for (const Map map : {Map::Forward, Map::Dx}) {
    const DeviceUnderTest device(90);
    DeviceCall call(device.context(), bundle, map, m, ElementType::Bf16, 1);
    call.giveTypes(std::vector<int64_t>(m, 1));
    replay(device, call, 2, numbers, asTypes);
  }
}

// The list, the gradient of the weight matrix, and that of the bias.
TEST(DeviceGraph, OfTheGradientsOfWeightAndBias) {
  compiler::CompileOptions options;
  options.targets = {compiler::Target::Sm80};
  options.maps = {Map::Dw};
  options.rows = 300;
  CompiledBundle bundle(
      specOf({.algebra = "Q(2)", .in = 32, .out = 40, .row_types = "explicit", .bias = true}), options);
  constexpr int64_t m = 300;
  const DeviceUnderTest device(80);
  DeviceCall call(device.context(), bundle, Map::Dw, m, ElementType::F32, 3);
  call.wants_bias_gradient = true;
  call.giveTypes(std::vector<int64_t>(m, 1));
  replay(
      device, call, 3,
      [](int time) {
        std::vector<int64_t> types;
        for (int64_t row = 0; row < m; ++row)
          types.push_back(time == 1 ? 0 : row % (time + 1) == 0);
        return types;
      },
      asTypes);
}

TEST(DeviceGraph, FollowsThePositionsOnTheDevice) {
  for (const bool reduces : {false, true}) {
    compiler::CompileOptions options;
    options.targets = {compiler::Target::Sm80};
    options.maps = {Map::Forward};
    options.row_lists = !reduces;
    options.rows = reduces ? 1 : 2048;
    if (reduces)
      options.schedule = "reduce=4,rows=4,columns=64,vector=8";
    CompiledBundle bundle(specOf({.algebra = "Q(3)", .in = 96, .out = 72, .row_types = "interval(4)"}),
                          options);
    const DeviceUnderTest device(80);
    DeviceCall call(device.context(), bundle, Map::Forward, 7, ElementType::F32, 2);
    call.givePositions({0, 1, 2, 3, 4, 5, 6}, 64);
    replay(
        device, call, reduces ? 1 : 2,
        [](int time) {
          std::vector<int64_t> positions;
          for (int64_t row = 0; row < 7; ++row)
            positions.push_back(time == 3 ? 5 : row * time * 11);
          return positions;
        },
        [&](const std::vector<int64_t> &given) { return call.typesAt(given); });
  }
}

} // namespace
