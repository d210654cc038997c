// Products of rows from one position on: kernels of every kind, launched by the runtime with the grid that
// the driver's occupancy asks for, and carried out on the simulator.
#include "tests/device/device_call.h"

#include <gtest/gtest.h>

using namespace device_test;
using algrt::ElementType;
using algrt::Map;

namespace {

struct Case {
  int capability;
  LayerText layer;
  std::string schedule = ""; // of products alone; chosen by cost where it is empty
};

compiler::CompileOptions optionsFor(const Case &one) {
  compiler::CompileOptions options;
  options.targets = {one.capability == 80 ? compiler::Target::Sm80 : compiler::Target::Sm90a};
  options.rows = 64;
  options.schedule = one.schedule;
  if (!one.schedule.empty())
    options.maps = {Map::Forward};
  return options;
}

TEST(DeviceProducts, OfEveryMap) {
  for (const Case &one : {Case{80, {.algebra = "Q(2)^2", .in = 64, .out = 64, .row_types = "interval(9)"}},
                          {90, {.algebra = "Q(4)", .in = 128, .out = 96, .bias = true}},
                          {90, {.algebra = "M(2)", .in = 64, .out = 96, .lift = "slots"}}}) {
    CompiledBundle bundle(specOf(one.layer), optionsFor(one));
    for (const Map map : {Map::Forward, Map::Dx, Map::Dw})
      for (const ElementType output : {ElementType::Bf16, ElementType::F32}) {
        const DeviceUnderTest device(one.capability);
        DeviceCall call(device.context(), bundle, map, 77, output, 3);
        call.p0 = one.layer.lift == "rows" ? 1000000007 : 0;
        call.beta = map == Map::Dw ? 2.0f : 0.0f;
        ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
        EXPECT_EQ(call.device.ran.size(), 1u);
        call.expectRight({}, one.layer.algebra + " " + algrt::name(map));
        if (HasFailure())
          return;
      }
  }
}

// Tiles of several types, stationary rows, clusters, splits, turns and rows on either side of the
// instructions; all of them in a dependent launch.
TEST(DeviceProducts, OfEverySchedule) {
  for (const Case &one :
       {Case{90,
             {.algebra = "Q(4)", .in = 256, .out = 384},
             "rows=64,columns=96,depth=64,stages=4,types=2,stationary=2"},
        {90, {.algebra = "Q(4)", .in = 256, .out = 384}, "rows=64,columns=96,depth=64,stages=4,cluster=2x1"},
        {90,
         {.algebra = "Q(2)", .in = 512, .out = 256, .bias = true},
         "rows=64,columns=64,depth=64,stages=4,cluster=1x2"},
        {90,
         {.algebra = "Q(2)", .in = 512, .out = 128},
         "rows=64,columns=64,depth=64,stages=4,rows_on=n,split_k=4"},
        {90,
         {.algebra = "Q(3)", .in = 192, .out = 192, .row_types = "interval(20)"},
         "rows=64,columns=64,depth=64,stages=4,ping_pong=2,outer=groups"},
        {90, {.algebra = "Q(2)^2", .in = 256, .out = 256}, "rows=24,columns=64,depth=64,stages=4,rows_on=n"},
        {80,
         {.algebra = "Q(3)", .in = 45, .out = 63},
         "rows=16,columns=16,depth=16,stages=3,warps=1x2,vector=1"}}) {
    CompiledBundle bundle(specOf(one.layer), optionsFor(one));
    const DeviceUnderTest device(one.capability);
    DeviceCall call(device.context(), bundle, Map::Forward, 150, ElementType::Bf16, 4);
    call.p0 = 5;
    call.dependent_launch = one.capability == 90;
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(call.device.ran.size(), 1u);
    call.expectRight({}, one.schedule);
    if (HasFailure())
      return;
  }
}

// Scheduled for many rows, so that blocks of a cluster divide the steps of a tile, of all blocks of the
// weight matrix or of the long ones alone; with the gradient of the bias behind them.
TEST(DeviceProducts, OfTheWeightDividedAmongBlocks) {
  for (const LayerText &layer : {LayerText{.algebra = "Q(2)", .in = 256, .out = 256, .bias = true},
                                 LayerText{.algebra = "Q(4)", .in = 512, .out = 512, .bias = true}}) {
    compiler::CompileOptions options;
    options.targets = {compiler::Target::Sm90a};
    options.maps = {Map::Dw};
    options.rows = 8192;
    CompiledBundle bundle(specOf(layer), options);
    const DeviceUnderTest device(90);
    DeviceCall call(device.context(), bundle, Map::Dw, 270, ElementType::Bf16, 8);
    call.p0 = 3;
    call.beta = 0.5f;
    call.wants_bias_gradient = true;
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    ASSERT_EQ(call.device.ran.size(), 2u);
    for (const algrt::Kernel &kernel : bundle.parsed().manifest().kernels)
      if (kernel.name == call.device.ran.front())
        EXPECT_GT(kernel.gpu->tile.split_k, 1) << kernel.gpu->schedule;
    call.expectRight({}, layer.algebra);
  }
}

} // namespace
