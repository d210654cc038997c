// Launches of kernels of vector reductions on CUDA devices, against the stand-in driver: what they are given
// is what runtime/gpu_kernel_abi.h promises, and is enough to compute the product.
#include "runtime/bundle/bundle.h"
#include "runtime/gpu_kernel_abi.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/compare.h"
#include "runtime/reference/reference.h"
#include "tests/runtime/cuda/launch_arguments.h"

#include <array>
#include <gtest/gtest.h>
#include <random>

namespace algrt::test {
namespace {

// Parts of the result, as tests/runtime/cuda/gpu_bundle.cpp describes the kernels.
constexpr int64_t part_rows = 16, part_columns = 32;

struct Parameters {
  algrt_plain_map x, w, y;
  int32_t rows, offset;
  uint64_t terms, positions;
  int32_t position_bytes;
  std::optional<uint64_t> bias;
};

Parameters parametersOf(const cuda_stand_in::Launch &launch, bool bias) {
  EXPECT_EQ(launch.parameters.size(), bias ? 7u : 6u);
  const auto maps = parameter<std::array<algrt_plain_map, 3>>(launch, 0);
  Parameters found{maps[0],
                   maps[1],
                   maps[2],
                   parameter<int32_t>(launch, 1),
                   parameter<int32_t>(launch, 2),
                   parameter<uint64_t>(launch, 3),
                   parameter<uint64_t>(launch, 4),
                   parameter<int32_t>(launch, 5),
                   std::nullopt};
  if (bias)
    found.bias = parameter<uint64_t>(launch, 6);
  return found;
}

// Y of Q(n), row by row, each of the type of its position.
void multiplyOnHost(const GpuShape &shape, const cuda_stand_in::Launch &launch, ElementType output) {
  const Parameters given = parametersOf(launch, shape.bias);
  const auto at = [](const algrt_plain_map &map, int64_t column, int64_t group, int64_t third, int64_t fourth,
                     int64_t bytes) {
    return map.address +
           uint64_t((column + group * map.strides[0] + third * map.strides[1] + fourth * map.strides[2]) *
                    bytes);
  };
  const auto number = [](uint64_t address) { return fromBfloat16(*reinterpret_cast<uint16_t *>(address)); };
  const int64_t period = shape.types() * shape.run;
  for (int32_t row = 0; row < given.rows; ++row) {
    int64_t position = int64_t(given.offset) + row;
    if (given.positions != 0)
      position = given.position_bytes == 8 ? reinterpret_cast<const int64_t *>(given.positions)[row]
                                           : reinterpret_cast<const int32_t *>(given.positions)[row];
    const int64_t type = (position % period + period) % period / shape.run;
    for (int64_t group = 0; group < shape.groups; ++group)
      for (int64_t column = 0; column < shape.out; ++column) {
        float sum = given.bias ? number(*given.bias + uint64_t(2 * (group * shape.out + column))) : 0;
        for (int64_t from = 0; from < shape.groups; ++from)
          for (int64_t depth = 0; depth < shape.in && (from == type || from == group); ++depth)
            sum += number(at(given.x, depth, from, 0, row, 2)) *
                   number(at(given.w, column, group, depth, from, 2));
        if (output == ElementType::F32)
          *reinterpret_cast<float *>(at(given.y, column, group, 0, row, 4)) = sum;
        else
          *reinterpret_cast<uint16_t *>(at(given.y, column, group, 0, row, 2)) = toBfloat16(sum);
      }
  }
}

class CudaDecode : public testing::Test {
protected:
  CudaDecode() {
    useStandIn();
    cuda_stand_in::reset({{}});
    cuda_stand_in::onLaunch([this](const cuda_stand_in::Launch &launch) {
      launches.push_back(launch);
      multiplyOnHost(shape, launch, output);
    });
  }
  ~CudaDecode() override {
    EXPECT_EQ(cuda_stand_in::violations(), std::vector<std::string>());
    EXPECT_EQ(cuda_stand_in::leaks(), std::vector<std::string>());
  }

  // The product of rows of these types is launched once, and right.
  const cuda_stand_in::Launch &run(GpuProduct &product, const std::vector<int32_t> &types) {
    launches.clear();
    output = product.output;
    product.y.poison();
    EXPECT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(launches.size(), 1u) << "one kernel, and no list";
    expectProduct(product, types);
    return launches.back();
  }

  void expectProduct(const GpuProduct &product, const std::vector<int32_t> &types) const {
    const Bundle parsed = Bundle::parse(product.bytes);
    const std::vector<float> x = product.x.values(), w = product.w.values();
    const std::vector<double> expected =
        referenceForward({&parsed.layer(), &parsed.support(), int64_t(types.size()), x.data(), shape.k(),
                          w.data(), shape.weightColumns(), 0, types.data()});
    const Comparison comparison = compare(product.y.values(), expected);
    EXPECT_TRUE(comparison.within(tolerance(product.output == ElementType::Bf16))) << comparison.relative_l2;
    EXPECT_TRUE(product.y.paddingIsPoison());
  }

  // What every launch of the product has.
  void expectLaunch(const cuda_stand_in::Launch &launch, const GpuProduct &product, int64_t m) {
    const int64_t parts =
        (m + part_rows - 1) / part_rows * shape.groups * ((shape.out + part_columns - 1) / part_columns);
    EXPECT_EQ(launch.grid, unsigned(std::min<int64_t>(parts, most_blocks)));
    EXPECT_EQ(launch.threads, 128u);
    EXPECT_EQ(launch.cluster, 1u);
    EXPECT_EQ(launch.shared_bytes, 90000u);
    EXPECT_EQ(launch.stream, product.args.stream);
    EXPECT_EQ(launch.programmatic, product.args.dependent_launch != 0);

    const Parameters given = parametersOf(launch, shape.bias);
    EXPECT_EQ(given.rows, m);
    EXPECT_EQ(given.terms, 0u) << "a complete graph needs no table";
    const auto expect_rows = [&](const algrt_plain_map &map, const GpuMatrix &matrix, int64_t width) {
      EXPECT_EQ(map.address, reinterpret_cast<uintptr_t>(matrix.tensor.data) + matrix.tensor.byte_offset);
      EXPECT_EQ(std::to_array(map.extents),
                (std::array{int32_t(width), int32_t(shape.groups), 1, int32_t(m)}));
      EXPECT_EQ(map.strides[0], width);
      EXPECT_EQ(map.strides[1], 0);
      EXPECT_EQ(map.strides[2], m > 1 ? matrix.strides[0] : 0);
      EXPECT_EQ(map.rows, 0u);
    };
    expect_rows(given.x, product.x, shape.in);
    expect_rows(given.y, product.y, shape.out);
    EXPECT_EQ(given.w.address, reinterpret_cast<uintptr_t>(product.w.tensor.data));
    EXPECT_EQ(std::to_array(given.w.extents), (std::array{int32_t(shape.out), int32_t(shape.groups),
                                                          int32_t(shape.in), int32_t(shape.groups)}));
    EXPECT_EQ(std::to_array(given.w.strides),
              (std::array{shape.out, product.w.strides[0], shape.in * product.w.strides[0]}));
  }

  GpuShape shape{.row_types = RowTypesKind::Interval,
                 .run = 3,
                 .groups = 4,
                 .in = 16,
                 .out = 40,
                 .vector = 8,
                 .slices = 16};
  ElementType output = ElementType::Bf16;
  int64_t most_blocks = 2 * 132; // 233472 bytes hold two blocks of 91024
  std::vector<cuda_stand_in::Launch> launches;
};

TEST_F(CudaDecode, CountsRowsFromAPosition) {
  const TestContext context(0);
  for (const int64_t m : {1, 5, 64})
    for (const ElementType output : {ElementType::Bf16, ElementType::F32})
      for (const int64_t p0 : {int64_t(0), int64_t(1) << 40}) {
        GpuProduct product(context, shape, m, 8, output);
        product.args.p0 = p0;
        // The kernel for f32 results waits for its predecessor by itself.
        product.args.dependent_launch = output == ElementType::F32;
        std::vector<int32_t> types;
        for (int64_t row = 0; row < m; ++row)
          types.push_back(int32_t((p0 + row) / 3 % shape.types()));
        const cuda_stand_in::Launch &launch = run(product, types);
        expectLaunch(launch, product, m);
        const Parameters given = parametersOf(launch, false);
        EXPECT_EQ(given.offset, p0 % (3 * shape.types()));
        EXPECT_EQ(given.positions, 0u);
      }
}

TEST_F(CudaDecode, HandsPositionsOnAsTheyAre) {
  const TestContext context(0);
  std::mt19937_64 random(7);
  for (const int64_t m : {1, 5, 64})
    for (const int bits : {32, 64}) {
      std::vector<int64_t> positions;
      std::vector<int32_t> types;
      for (int64_t row = 0; row < m; ++row) {
        positions.push_back(int64_t(random() % 1000) + (bits == 64 ? int64_t(1) << 40 : 0));
        types.push_back(int32_t(positions.back() / 3 % shape.types()));
      }
      const DeviceNumbers given(context, positions, bits);
      GpuProduct product(context, shape, m, 8);
      product.args.positions = &given.tensor;
      const cuda_stand_in::Launch &launch = run(product, types);
      expectLaunch(launch, product, m);
      const Parameters found = parametersOf(launch, false);
      EXPECT_EQ(found.positions, reinterpret_cast<uintptr_t>(given.tensor.data));
      EXPECT_EQ(found.position_bytes, bits / 8);
      EXPECT_EQ(found.offset, 0);
    }
}

// A captured graph reads what the positions have become.
TEST_F(CudaDecode, GraphsGoOnWithTheNextPositions) {
  const TestContext context(0);
  const cuda::Driver &driver = context.driver();
  const DeviceNumbers given(context, {0, 1, 2, 3, 4}, 64);
  GpuProduct product(context, shape, 5, 8);
  product.args.positions = &given.tensor;
  cuda::Stream stream;
  ASSERT_EQ(driver.streamCreate(&stream, cuda::stream_default), cuda::Result::Success);
  product.args.stream = stream;
  ASSERT_EQ(algrt_bundle_prepare(product.bundle.get(), 0), ALGRT_OK) << algrt_last_error();
  cuda::Graph graph;
  ASSERT_EQ(driver.streamBeginCapture(stream, cuda::CaptureMode::Global), cuda::Result::Success);
  EXPECT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
  ASSERT_EQ(driver.streamEndCapture(stream, &graph), cuda::Result::Success);
  cuda::GraphExec exec;
  ASSERT_EQ(driver.graphInstantiate(&exec, graph, 0), cuda::Result::Success);
  const std::pair<std::vector<int64_t>, std::vector<int32_t>> steps[] = {{{0, 1, 2, 3, 4}, {0, 0, 0, 1, 1}},
                                                                         {{9, 9, 3, 0, 6}, {3, 3, 1, 0, 2}}};
  for (const auto &[positions, types] : steps) {
    std::copy(positions.begin(), positions.end(), static_cast<int64_t *>(given.tensor.data));
    product.y.poison();
    ASSERT_EQ(driver.graphLaunch(exec, stream), cuda::Result::Success);
    expectProduct(product, types);
  }
  EXPECT_EQ(launches.size(), 2u);
  driver.graphExecDestroy(exec);
  driver.graphDestroy(graph);
  driver.streamDestroy(stream);
}

TEST_F(CudaDecode, BiasIsBehindThePositions) {
  shape.bias = true;
  const TestContext context(0);
  const DeviceNumbers positions(context, {5, 2, 11}, 32);
  GpuProduct product(context, shape, 3, 8);
  int64_t n = shape.n();
  const GpuMatrix numbers(context, 0, 1, n, 0, ElementType::Bf16);
  DLTensor bias = numbers.tensor;
  bias.ndim = 1;
  bias.shape = &n;
  bias.strides = nullptr;
  std::fill_n(static_cast<uint16_t *>(bias.data), n, uint16_t(0));
  product.args.bias = &bias;
  product.args.positions = &positions.tensor;
  const cuda_stand_in::Launch &launch = run(product, {1, 0, 3});
  expectLaunch(launch, product, 3);
  EXPECT_EQ(parametersOf(launch, true).bias, reinterpret_cast<uintptr_t>(bias.data));
}

// Where vectors would not be aligned, a kernel of single elements stands beside the one of vectors.
TEST_F(CudaDecode, OperandsAtOddAddressesGoToSingleElements) {
  nlohmann::ordered_json manifest = gpuManifest(shape);
  nlohmann::ordered_json &kernels = manifest["kernels"], single = kernels[0];
  single["name"] = "single";
  single["symbol"] = kernels[1]["symbol"];
  single["vector"] = 1;
  kernels[1] = single;
  const TestContext context(0);
  const DeviceNumbers positions(context, {5, 2, 11}, 32);
  for (const int64_t padding : {0, 1, 4, 8}) {
    GpuProduct product(context, shape, 3, padding);
    product.bytes = gpuBundle(shape, manifest);
    product.bundle = openBundle(product.bytes);
    product.args.positions = &positions.tensor;
    const cuda_stand_in::Launch &launch = run(product, {1, 0, 3});
    EXPECT_EQ(launch.symbol, padding % 8 == 0 ? "forward_bf16" : "forward_f32");
    expectLaunch(launch, product, 3);
  }
  // Without it, the one of vectors says what is in its way.
  GpuProduct product(context, shape, 3, 1);
  product.args.positions = &positions.tensor;
  EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(algrt_last_error()).find("x: has rows 65 elements apart"), std::string::npos)
      << algrt_last_error();
}

// No more blocks than the device runs at a time.
TEST_F(CudaDecode, TheGridIsPersistent) {
  cuda_stand_in::reset({{.multiprocessors = 3}});
  cuda_stand_in::onLaunch([this](const cuda_stand_in::Launch &launch) { launches.push_back(launch); });
  most_blocks = 6;
  const TestContext context(0);
  for (const int64_t m : {1, 5, 64}) {
    GpuProduct product(context, shape, m, 8);
    launches.clear();
    ASSERT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
    ASSERT_EQ(launches.size(), 1u);
    expectLaunch(launches[0], product, m);
    EXPECT_EQ(launches[0].grid, 6u);
  }
}

} // namespace
} // namespace algrt::test
