#include "tests/device/device_call.h"

#include "compiler/simulator/bias_gradient.h"
#include "compiler/spec/spec_options.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/random.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace device_test {

using namespace algrt;
using namespace algrt::test;

namespace {

Region regionOf(const char *name, const GpuMatrix &matrix, ElementType element) {
  return {name,
          reinterpret_cast<std::uint64_t>(matrix.tensor.data),
          matrix.shape[0],
          matrix.shape[1],
          matrix.strides[0],
          elementBytes(element)};
}

Region regionOf(const char *name, const DeviceNumbers &numbers) {
  const std::int64_t count = numbers.tensor.shape[0];
  return {name,  reinterpret_cast<std::uint64_t>(numbers.tensor.data),
          1,     count,
          count, numbers.tensor.dtype.bits / 8};
}

// The first row of a matrix.
DLTensor vectorOf(const GpuMatrix &matrix) {
  DLTensor vector = matrix.tensor;
  vector.ndim = 1;
  ++vector.shape;
  ++vector.strides;
  return vector;
}

// Rows that all kernels can be given are a multiple of 16 bytes apart.
constexpr std::int64_t padding = 8;

} // namespace

compiler::Spec specOf(const LayerText &layer) {
  compiler::SpecOptions options;
  options.spec = layer.algebra;
  if (layer.in_groups.empty()) {
    options.in = layer.in;
    options.out = layer.out;
  }
  options.in_groups = layer.in_groups;
  options.out_groups = layer.out_groups;
  options.dtype = "bf16";
  options.row_types = layer.row_types;
  options.lift = layer.lift;
  options.bias = layer.bias;
  return compiler::loadSpec(options);
}

DeviceUnderTest::DeviceUnderTest(int capability) {
  useStandIn();
  cuda_stand_in::reset({{.capability = capability, .multiprocessors = 3}});
  made.emplace(0);
}

DeviceUnderTest::~DeviceUnderTest() {
  made.reset();
  EXPECT_EQ(cuda_stand_in::violations(), std::vector<std::string>());
  EXPECT_EQ(cuda_stand_in::leaks(), std::vector<std::string>());
}

DeviceCall::DeviceCall(const TestContext &context, CompiledBundle &bundle, Map map, std::int64_t m,
                       ElementType output, std::uint64_t seed)
    : device(bundle), context(context), bundle(bundle), layer(bundle.parsed().layer()), map(map), m(m),
      output(output), handle(openBundle(bundle.bytes())),
      x(context, 0, m, map == Map::dx ? layer.n : layer.k, padding, ElementType::bf16),
      w(context, 0, map == Map::dw ? m : layer.k, map == Map::dw ? layer.n : layer.bankColumns(), padding,
        ElementType::bf16),
      y(context, 0, map == Map::dw ? layer.k : m,
        map == Map::forward ? layer.n
        : map == Map::dx    ? layer.k
                            : layer.bankColumns(),
        padding, output),
      bias(context, 0, 1, layer.n, 0, ElementType::bf16), bias_gradient(context, 0, 1, layer.n, 0, output) {
  refill(seed);
  bias.fill(seed + 3, 1);
  device.seed = seed;
  EXPECT_EQ(algrt_workspace_size(handle.get(), m, 1, &workspace_bytes), ALGRT_OK) << algrt_last_error();
  context.driver().check(context.driver().memAlloc(&workspace, workspace_bytes + 1), "workspace of a test");
  // It may begin anywhere, and with anything.
  std::memset(reinterpret_cast<void *>(workspace), 0xff, workspace_bytes + 1);
  device.workspace = {"the workspace",
                      workspace + 1,
                      1,
                      static_cast<std::int64_t>(workspace_bytes),
                      static_cast<std::int64_t>(workspace_bytes),
                      1};
  device.operands = {regionOf(map == Map::dx ? "dY" : "X", x, ElementType::bf16),
                     regionOf(map == Map::dw ? "dY" : "W", w, ElementType::bf16),
                     regionOf("the bias", bias, ElementType::bf16)};
  device.result = regionOf("the result", y, output);
  device.bias_result = regionOf("dbias", bias_gradient, output);
}

DeviceCall::~DeviceCall() {
  handle.reset();
  EXPECT_EQ(context.driver().memFree(workspace), cuda::Result::success);
}

void DeviceCall::refill(std::uint64_t seed) {
  x.fill(seed + 1, 1);
  w.fill(seed + 2, map == Map::dw ? 1 : 1 / std::sqrt(static_cast<double>(layer.k)));
}

void DeviceCall::giveTypes(const std::vector<std::int64_t> &types) {
  rows = Rows::types;
  rows_given = std::make_unique<DeviceNumbers>(context, types, 32);
  device.operands.push_back(regionOf("the types", *rows_given));
}

void DeviceCall::givePositions(const std::vector<std::int64_t> &positions, int bits) {
  rows = Rows::positions;
  rows_given = std::make_unique<DeviceNumbers>(context, positions, bits);
  device.operands.push_back(regionOf("the positions", *rows_given));
}

void DeviceCall::giveSequences(const std::vector<std::int64_t> &starts,
                               const std::vector<std::int64_t> &firsts, int bits) {
  rows = Rows::sequences;
  rows_given = std::make_unique<DeviceNumbers>(context, starts, bits);
  device.operands.push_back(regionOf("the starts", *rows_given));
  if (firsts.empty())
    return;
  firsts_given = std::make_unique<DeviceNumbers>(context, firsts, bits);
  device.operands.push_back(regionOf("the first positions", *firsts_given));
}

void DeviceCall::poison() {
  y.poison();
  bias_gradient.poison();
  if (beta == 0)
    return;
  // Numbers of bf16; as f32 their bytes are numbers, too, of which no element is NaN.
  held.clear();
  const auto fill = [&](GpuMatrix &matrix, std::uint64_t seed) {
    auto *start = static_cast<std::byte *>(matrix.tensor.data);
    const std::vector<float> values = randomValues(matrix.shape[0] * matrix.shape[1], 1, seed);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t row = static_cast<std::int64_t>(i) / matrix.shape[1],
                         column = static_cast<std::int64_t>(i) % matrix.shape[1];
      std::byte *to = start + (row * matrix.strides[0] + column) * elementBytes(output);
      const std::uint16_t narrow = toBfloat16(values[i]);
      if (output == ElementType::f32)
        std::memcpy(to, &values[i], sizeof(float));
      else
        std::memcpy(to, &narrow, sizeof(narrow));
    }
    return matrix.values();
  };
  held = fill(y, device.seed + 11);
  held_bias = fill(bias_gradient, device.seed + 12);
}

template <typename Args> void DeviceCall::describe(Args &args) const {
  args.p0 = p0;
  args.stream = stream;
  args.kernel = kernel;
  args.workspace = workspace_bytes > 0 ? reinterpret_cast<void *>(workspace + 1) : nullptr;
  args.workspace_bytes = workspace_bytes;
  args.types = rows == Rows::types ? &rows_given->tensor : nullptr;
  args.positions = rows == Rows::positions ? &rows_given->tensor : nullptr;
  args.sequence_starts = rows == Rows::sequences ? &rows_given->tensor : nullptr;
  args.sequence_positions = firsts_given ? &firsts_given->tensor : nullptr;
}

int DeviceCall::run() {
  poison();
  if (map == Map::forward) {
    algrt_forward_args args = algrt_forward_args_init();
    describe(args);
    const DLTensor numbers = vectorOf(bias);
    args.x = &x.tensor;
    args.w = &w.tensor;
    args.y = &y.tensor;
    args.bias = layer.bias ? &numbers : nullptr;
    args.dependent_launch = dependent_launch ? 1 : 0;
    return algrt_forward(handle.get(), &args);
  }
  if (map == Map::dx) {
    algrt_dx_args args = algrt_dx_args_init();
    describe(args);
    args.dy = &x.tensor;
    args.w = &w.tensor;
    args.dx = &y.tensor;
    args.dependent_launch = dependent_launch ? 1 : 0;
    return algrt_dx(handle.get(), &args);
  }
  algrt_dw_args args = algrt_dw_args_init();
  describe(args);
  const DLTensor numbers = vectorOf(bias_gradient);
  args.x = &x.tensor;
  args.dy = &w.tensor;
  args.dw = &y.tensor;
  args.dbias = wants_bias_gradient ? &numbers : nullptr;
  args.beta = beta;
  return algrt_dw(handle.get(), &args);
}

void DeviceCall::expectRight(const std::vector<std::int32_t> &types, const std::string &what) const {
  Layer of_rows = layer;
  std::vector<float> x_values = x.values(), w_values = w.values(), y_values = y.values(),
                     bias_values = bias.values();
  std::vector<std::int32_t> known = types;
  for (std::size_t row = 0; row < types.size(); ++row)
    if (types[row] < 0) { // counts as a row of zeros, and its result is not looked at
      known[row] = 0;
      std::fill_n(x_values.begin() + static_cast<std::ptrdiff_t>(row) * x.shape[1], x.shape[1], 0.0f);
    }
  if (!types.empty()) {
    of_rows.row_types = RowTypesKind::explicit_types;
    of_rows.row_type_width = 0;
  }
  compiler::ProductOperands product;
  product.layer = &of_rows;
  product.support = &bundle.parsed().support();
  product.m = m;
  product.p0 = p0;
  product.x = x_values;
  product.w = w_values;
  product.types = known;
  product.beta = map == Map::dw ? beta : 0;
  if (product.beta != 0)
    product.held = held;
  if (layer.bias && map == Map::forward)
    product.bias = bias_values;
  compiler::ExpectedProduct expected = compiler::expectedProduct(product, map);
  for (std::size_t row = 0; map != Map::dw && row < types.size(); ++row)
    if (types[row] < 0)
      for (std::int64_t column = 0; column < y.shape[1]; ++column)
        expected.value[row * static_cast<std::size_t>(y.shape[1]) + static_cast<std::size_t>(column)] =
            std::numeric_limits<double>::quiet_NaN(); // as it was poisoned
  const compiler::Agreement found = compiler::agreement(y_values, expected, output);
  EXPECT_EQ(found.wrong, 0) << what << ": "
                            << (found.wrong > 0
                                    ? compiler::describeFirst(found, y_values, expected, layer, map)
                                    : "");
  EXPECT_TRUE(y.paddingIsPoison()) << what;
  if (wants_bias_gradient)
    expectRightBiasGradient(what);
}

void DeviceCall::expectRightBiasGradient(const std::string &what) const {
  const std::vector<float> dy = w.values(), sums = bias_gradient.values();
  compiler::BiasGradientOperands operands{m, layer.n, dy, output, {}, beta};
  if (beta != 0)
    operands.held = held_bias;
  const compiler::Agreement found =
      compiler::agreement(sums, compiler::expectedBiasGradient(operands), output);
  EXPECT_EQ(found.wrong, 0) << what << ": element " << found.first_wrong << " of dbias";
}

std::vector<std::int32_t> DeviceCall::typesAt(const std::vector<std::int64_t> &positions) const {
  std::vector<std::int32_t> types;
  const std::int64_t width = layer.row_types == RowTypesKind::interval ? layer.row_type_width : 1;
  for (const std::int64_t position : positions)
    types.push_back(position < 0 ? -1 : static_cast<std::int32_t>(position % (layer.types * width) / width));
  return types;
}

} // namespace device_test
