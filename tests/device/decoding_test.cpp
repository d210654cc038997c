// Steps of decoding: kernels of vector reductions, launched by the runtime with the positions of all rows, or
// with p0, and carried out on the simulator.
#include "tests/device/device_call.h"

#include <gtest/gtest.h>

using namespace device_test;
using algrt::ElementType;
using algrt::Map;

namespace {

TEST(DeviceDecoding, AtPositionsOfTheirOwn) {
  const LayerText layers[] = {{.algebra = "Q(4)", .in = 256, .out = 384, .bias = true},
                              {.algebra = "Q(2)^2", .in = 128, .out = 192, .row_types = "interval(3)"}};
  for (const int capability : {80, 90})
    for (const LayerText &layer : layers) {
      compiler::CompileOptions options;
      options.targets = {capability == 80 ? compiler::Target::Sm80 : compiler::Target::Sm90a};
      options.maps = {Map::Forward};
      options.rows = 1;
      options.schedule = "reduce=4,rows=4,columns=128,vector=8";
      CompiledBundle bundle(specOf(layer), options);
      for (const ElementType output : {ElementType::Bf16, ElementType::F32})
        for (const int bits : {32, 64, 0}) {
          const DeviceUnderTest device(capability);
          DeviceCall call(device.context(), bundle, Map::Forward, 9, output, 5);
          std::vector<int64_t> positions;
          for (int64_t row = 0; row < 9; ++row)
            positions.push_back(row * 37 + (bits == 64 ? int64_t{1} << 40 : 0));
          if (bits == 0)
            call.p0 = 11;
          else
            call.givePositions(positions, bits);
          call.dependent_launch = capability == 90;
          ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
          ASSERT_EQ(call.device.ran.size(), 1u);
          call.expectRight(bits == 0 ? std::vector<int32_t>() : call.typesAt(positions),
                           layer.algebra + ", positions of " + std::to_string(bits) + " bits");
          if (HasFailure())
            return;
        }
    }
}

// Where a bundle has kernels for few rows and for many, and such as take lists, either serves the same
// positions.
TEST(DeviceDecoding, BesideLists) {
  compiler::CompileOptions options;
  options.targets = {compiler::Target::Sm80};
  options.maps = {Map::Forward};
  options.rows = 2;
  options.further_rows = {512};
  options.row_lists = true;
  CompiledBundle bundle(specOf({.algebra = "Q(8)", .in = 512, .out = 512}), options);
  for (const int64_t m : {2, 200}) {
    const DeviceUnderTest device(80);
    DeviceCall call(device.context(), bundle, Map::Forward, m, ElementType::Bf16, 6);
    std::vector<int64_t> positions;
    for (int64_t row = 0; row < m; ++row)
      positions.push_back(row * row);
    call.givePositions(positions, 32);
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(call.device.ran.size(), m == 2 ? 1u : 2u);
    call.expectRight(call.typesAt(positions), std::to_string(m) + " rows");
  }
}

} // namespace
