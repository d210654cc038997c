// What the simulated device objects to: parameters of other sizes than the kernels', and memory that a call
// was not given.
#include "tests/device/device_call.h"
#include "tests/device/launch_parameters.h"
#include "tests/runtime/usual_parameters.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

using namespace device_test;
using algrt::ElementType;
using algrt::Map;

namespace {

using Bytes = std::vector<std::byte>;

algrt::cuda_stand_in::Launch launchWith(const std::vector<size_t> &sizes) {
  algrt::cuda_stand_in::Launch launch{};
  for (const size_t size : sizes)
    launch.parameters.emplace_back(size);
  return launch;
}

TEST(DeviceParameters, AreThoseOfTheKernel) {
  algrt::Layer layer;
  layer.lift = algrt::Lift::Rows;
  layer.row_types = algrt::RowTypesKind::Cyclic;
  layer.dtype = ElementType::Bf16;
  layer.k = 32, layer.n = 48, layer.types = 2;
  layer.in_groups = layer.weight_rows = {16, 16};
  layer.out_groups = {24, 24};
  algrt::Kernel product, list;
  product.name = "forward";
  product.gpu.emplace();
  product.gpu->copies = algrt::GpuCopies::Threads;
  product.gpu->vector = 1;
  list.group_rows.emplace().parameters = algrt::test::rowListParameters();
  const size_t maps = 5 * algrt_plain_map_bytes; // two each of X and Y, and one of W
  const auto taken = [&](const algrt::Kernel &kernel, const std::vector<size_t> &sizes) {
    algrt::Kernel listing = kernel;
    if (listing.gpu)
      listing.gpu->parameters = algrt::test::usualParameters(*listing.gpu, layer);
    try {
      const LaunchParameters read(launchWith(sizes), listing.name, *listing.gpuCode());
      return true;
    } catch (const std::runtime_error &) {
      return false;
    }
  };
  EXPECT_TRUE(taken(product, {maps, 4, 4, 8}));
  EXPECT_FALSE(taken(product, {maps, 4, 4}));
  EXPECT_FALSE(taken(product, {maps, 4, 4, 8, 4}));
  EXPECT_FALSE(taken(product, {maps, 4, 8, 8}));
  EXPECT_FALSE(taken(product, {maps - algrt_plain_map_bytes, 4, 4, 8}));
  layer.bias = true;
  EXPECT_TRUE(taken(product, {maps, 4, 4, 8, 8}));
  EXPECT_FALSE(taken(product, {maps, 4, 4, 8}));
  product.gpu->slices = 1; // of a vector reduction one map of each
  EXPECT_TRUE(taken(product, {3 * algrt_plain_map_bytes, 4, 4, 8, 8, 4, 8}));
  EXPECT_FALSE(taken(product, {3 * algrt_plain_map_bytes, 4, 4, 8, 8}));
  EXPECT_TRUE(taken(list, {8, 8, 8, 8, 4, 4, 4, 4, 4}));
  EXPECT_FALSE(taken(list, {8, 8, 8, 4, 4, 4, 4, 4, 4}));
}

// What fails while the call runs.
std::string objections(DeviceCall &call) {
  testing::TestPartResultArray failures;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(&failures);
    call.run();
  }
  std::string text;
  for (int i = 0; i < failures.size(); ++i)
    text += std::string(failures.GetTestPartResult(i).message()) + "\n";
  return text;
}

TEST(DeviceMemory, IsThatOfTheCall) {
  compiler::CompileOptions options;
  options.targets = {compiler::Target::Sm80};
  options.maps = {Map::Forward};
  options.rows = 16;
  CompiledBundle bundle(specOf({.algebra = "Q(2)", .in = 32, .out = 32, .row_types = "explicit"}), options);
  const DeviceUnderTest device(80);
  DeviceCall call(device.context(), bundle, Map::Forward, 20, ElementType::Bf16, 1);
  call.giveTypes(std::vector<int64_t>(20, 1));
  EXPECT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
  call.expectRight(std::vector<int32_t>(20, 1), "nothing is missing");

  const Region workspace = call.device.workspace;
  --call.device.workspace.columns;
  EXPECT_NE(objections(call).find("the row list is not within the workspace"), std::string::npos);
  call.device.workspace = workspace;
  std::swap(call.device.result, call.device.operands[0]);
  EXPECT_NE(objections(call).find("the maps of the result are not of the call's result"), std::string::npos);
  std::swap(call.device.result, call.device.operands[0]);
  call.device.operands.pop_back(); // the types, which group_rows reads
  EXPECT_NE(objections(call).find("group_rows: "), std::string::npos);
}

} // namespace
