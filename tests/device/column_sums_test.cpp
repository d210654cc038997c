// The gradients of the weight matrix and of the bias in one call: up to three launches one behind the other.
#include "tests/device/device_call.h"

#include <gtest/gtest.h>

using namespace device_test;
using algrt::ElementType;
using algrt::Map;

namespace {

TEST(DeviceColumnSums, ComesWithThatOfTheWeights) {
  for (const int capability : {80, 90})
    for (const char *row_types : {"cyclic", "explicit"}) {
      compiler::CompileOptions options;
      options.targets = {capability == 80 ? compiler::Target::Sm80 : compiler::Target::Sm90a};
      options.maps = {Map::Dw};
      options.rows = 300;
      CompiledBundle bundle(
          specOf({.algebra = "Q(3)", .in = 48, .out = 120, .row_types = row_types, .bias = true}), options);
      const bool listed = std::string(row_types) == "explicit";
      for (const int64_t m : {0, 40, 256, 600})
        for (const ElementType output : {ElementType::Bf16, ElementType::F32}) {
          const DeviceUnderTest device(capability);
          DeviceCall call(device.context(), bundle, Map::Dw, m, output, static_cast<uint64_t>(m));
          call.wants_bias_gradient = true;
          call.beta = output == ElementType::F32 ? 0.25f : 0.0f;
          std::vector<int64_t> types;
          for (int64_t row = 0; row < m; ++row)
            types.push_back(row * row % 3);
          if (listed)
            call.giveTypes(types);
          ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
          std::vector<std::string> expected = {output == ElementType::Bf16 ? "dw_bf16" : "dw_f32",
                                               algrt::dbiasFunction(output)};
          if (listed)
            expected.insert(expected.begin(), "group_rows");
          ASSERT_EQ(call.device.ran.size(), expected.size());
          EXPECT_EQ(call.device.ran.front(), expected.front());
          EXPECT_EQ(call.device.ran.back(), expected.back());
          call.expectRight(listed ? std::vector<int32_t>(types.begin(), types.end()) : std::vector<int32_t>(),
                           std::string(row_types) + ", " + std::to_string(m) + " rows");
          if (HasFailure())
            return;
        }
    }
}

} // namespace
