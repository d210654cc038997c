#include "tests/device/device_call.h"

#include "compiler/simulator/elementwise.h"
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
          reinterpret_cast<uint64_t>(matrix.tensor.data),
          matrix.shape[0],
          matrix.shape[1],
          matrix.strides[0],
          elementBytes(element)};
}

Region regionOf(const char *name, const DeviceNumbers &numbers) {
  const int64_t count = numbers.tensor.shape[0];
  return {
      name, reinterpret_cast<uint64_t>(numbers.tensor.data), 1, count, count, numbers.tensor.dtype.bits / 8};
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
constexpr int64_t padding = 8;

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
  made_.emplace(0);
}

DeviceUnderTest::~DeviceUnderTest() {
  made_.reset();
  EXPECT_EQ(cuda_stand_in::violations(), std::vector<std::string>());
  EXPECT_EQ(cuda_stand_in::leaks(), std::vector<std::string>());
}

DeviceCall::DeviceCall(const TestContext &context, CompiledBundle &bundle, Map map, int64_t m,
                       ElementType output, uint64_t seed)
    : device(bundle), context_(context), bundle_(bundle), layer_(bundle.parsed().layer()), map_(map), m_(m),
      output_(output), handle_(openBundle(bundle.bytes())),
      x_(context, 0, m, map == Map::Dx ? layer_.n : layer_.k, padding, ElementType::Bf16),
      w_(context, 0, map == Map::Dw ? m : layer_.k, map == Map::Dw ? layer_.n : layer_.weightColumns(),
         padding, ElementType::Bf16),
      y_(context, 0, map == Map::Dw ? layer_.k : m,
         map == Map::Forward ? layer_.n
         : map == Map::Dx    ? layer_.k
                             : layer_.weightColumns(),
         padding, output),
      bias_(context, 0, 1, layer_.n, 0, ElementType::Bf16),
      bias_gradient_(context, 0, 1, layer_.n, 0, output) {
  refill(seed);
  bias_.fill(seed + 3, 1);
  device.seed = seed;
  EXPECT_EQ(algrt_workspace_size(handle_.get(), m, 1, &workspace_bytes_), ALGRT_OK) << algrt_last_error();
  context.driver().check(context.driver().memAlloc(&workspace_, workspace_bytes_ + 1), "workspace of a test");
  // It may begin anywhere, and with anything.
  std::memset(reinterpret_cast<void *>(workspace_), 0xff, workspace_bytes_ + 1);
  device.workspace = {"the workspace",
                      workspace_ + 1,
                      1,
                      static_cast<int64_t>(workspace_bytes_),
                      static_cast<int64_t>(workspace_bytes_),
                      1};
  device.operands = {regionOf(map == Map::Dx ? "dY" : "X", x_, ElementType::Bf16),
                     regionOf(map == Map::Dw ? "dY" : "W", w_, ElementType::Bf16),
                     regionOf("the bias", bias_, ElementType::Bf16)};
  device.result = regionOf("the result", y_, output);
  device.bias_result = regionOf("dbias", bias_gradient_, output);
}

DeviceCall::~DeviceCall() {
  handle_.reset();
  EXPECT_EQ(context_.driver().memFree(workspace_), cuda::Result::Success);
}

void DeviceCall::refill(uint64_t seed) {
  x_.fill(seed + 1, 1);
  w_.fill(seed + 2, map_ == Map::Dw ? 1 : 1 / std::sqrt(static_cast<double>(layer_.k)));
}

void DeviceCall::giveTypes(const std::vector<int64_t> &types) {
  rows_ = Rows::Types;
  rows_given_ = std::make_unique<DeviceNumbers>(context_, types, 32);
  device.operands.push_back(regionOf("the types", *rows_given_));
}

void DeviceCall::givePositions(const std::vector<int64_t> &positions, int bits) {
  rows_ = Rows::Positions;
  rows_given_ = std::make_unique<DeviceNumbers>(context_, positions, bits);
  device.operands.push_back(regionOf("the positions", *rows_given_));
}

void DeviceCall::giveSequences(const std::vector<int64_t> &starts, const std::vector<int64_t> &firsts,
                               int bits) {
  rows_ = Rows::Sequences;
  rows_given_ = std::make_unique<DeviceNumbers>(context_, starts, bits);
  device.operands.push_back(regionOf("the starts", *rows_given_));
  if (firsts.empty())
    return;
  firsts_given_ = std::make_unique<DeviceNumbers>(context_, firsts, bits);
  device.operands.push_back(regionOf("the first positions", *firsts_given_));
}

void DeviceCall::poison() {
  y_.poison();
  bias_gradient_.poison();
  if (beta == 0)
    return;
  // Numbers of bf16; as f32 their bytes are numbers, too, of which no element is NaN.
  held_.clear();
  const auto fill = [&](GpuMatrix &matrix, uint64_t seed) {
    auto *start = static_cast<std::byte *>(matrix.tensor.data);
    const std::vector<float> values = randomValues(matrix.shape[0] * matrix.shape[1], 1, seed);
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t row = static_cast<int64_t>(i) / matrix.shape[1],
                    column = static_cast<int64_t>(i) % matrix.shape[1];
      std::byte *to = start + (row * matrix.strides[0] + column) * elementBytes(output_);
      const uint16_t narrow = toBfloat16(values[i]);
      if (output_ == ElementType::F32)
        std::memcpy(to, &values[i], sizeof(float));
      else
        std::memcpy(to, &narrow, sizeof(narrow));
    }
    return matrix.values();
  };
  held_ = fill(y_, device.seed + 11);
  held_bias_ = fill(bias_gradient_, device.seed + 12);
}

template <typename Args> void DeviceCall::describe(Args &args) const {
  args.p0 = p0;
  args.sequence_rows = sequence_rows;
  args.stream = stream;
  args.kernel = kernel;
  args.workspace = workspace_bytes_ > 0 ? reinterpret_cast<void *>(workspace_ + 1) : nullptr;
  args.workspace_bytes = workspace_bytes_;
  args.types = rows_ == Rows::Types ? &rows_given_->tensor : nullptr;
  args.positions = rows_ == Rows::Positions ? &rows_given_->tensor : nullptr;
  args.sequence_starts = rows_ == Rows::Sequences ? &rows_given_->tensor : nullptr;
  args.sequence_positions = firsts_given_ ? &firsts_given_->tensor : nullptr;
}

int DeviceCall::run() {
  poison();
  if (map_ == Map::Forward) {
    algrt_forward_args args = algrt_forward_args_init();
    describe(args);
    const DLTensor numbers = vectorOf(bias_);
    args.x = &x_.tensor;
    args.w = &w_.tensor;
    args.y = &y_.tensor;
    args.bias = layer_.bias ? &numbers : nullptr;
    args.dependent_launch = dependent_launch ? 1 : 0;
    return algrt_forward(handle_.get(), &args);
  }
  if (map_ == Map::Dx) {
    algrt_dx_args args = algrt_dx_args_init();
    describe(args);
    args.dy = &x_.tensor;
    args.w = &w_.tensor;
    args.dx = &y_.tensor;
    args.dependent_launch = dependent_launch ? 1 : 0;
    return algrt_dx(handle_.get(), &args);
  }
  algrt_dw_args args = algrt_dw_args_init();
  describe(args);
  const DLTensor numbers = vectorOf(bias_gradient_);
  args.x = &x_.tensor;
  args.dy = &w_.tensor;
  args.dw = &y_.tensor;
  args.dbias = wants_bias_gradient ? &numbers : nullptr;
  args.beta = beta;
  return algrt_dw(handle_.get(), &args);
}

void DeviceCall::expectRight(const std::vector<int32_t> &types, const std::string &what) const {
  Layer of_rows = layer_;
  std::vector<float> x_values = x_.values(), w_values = w_.values(), y_values = y_.values(),
                     bias_values = bias_.values();
  std::vector<int32_t> known = types;
  for (size_t row = 0; row < types.size(); ++row)
    if (types[row] < 0) { // counts as a row of zeros, and its result is not looked at
      known[row] = 0;
      std::fill_n(x_values.begin() + static_cast<ptrdiff_t>(row) * x_.shape[1], x_.shape[1], 0.0f);
    }
  if (!types.empty()) {
    of_rows.row_types = RowTypesKind::ExplicitTypes;
    of_rows.row_type_width = 0;
  }
  compiler::ProductOperands product;
  product.layer = &of_rows;
  product.support = &bundle_.parsed().support();
  product.m = m_;
  product.p0 = p0;
  product.x = x_values;
  product.w = w_values;
  product.types = known;
  product.beta = map_ == Map::Dw ? beta : 0;
  if (product.beta != 0)
    product.held = held_;
  if (layer_.bias && map_ == Map::Forward)
    product.bias = bias_values;
  compiler::ExpectedProduct expected = compiler::expectedProduct(product, map_);
  for (size_t row = 0; map_ != Map::Dw && row < types.size(); ++row)
    if (types[row] < 0)
      for (int64_t column = 0; column < y_.shape[1]; ++column)
        expected.value[row * static_cast<size_t>(y_.shape[1]) + static_cast<size_t>(column)] =
            std::numeric_limits<double>::quiet_NaN(); // as it was poisoned
  const compiler::Agreement found = compiler::agreement(y_values, expected, output_);
  EXPECT_EQ(found.wrong, 0) << what << ": "
                            << (found.wrong > 0
                                    ? compiler::describeFirst(found, y_values, expected, layer_, map_)
                                    : "");
  EXPECT_TRUE(y_.paddingIsPoison()) << what;
  if (wants_bias_gradient)
    expectRightBiasGradient(what);
}

void DeviceCall::expectRightBiasGradient(const std::string &what) const {
  const std::vector<float> dy = w_.values(), sums = bias_gradient_.values();
  const std::vector<float> held = beta != 0 ? held_bias_ : std::vector<float>(sums.size());
  const compiler::Agreement found =
      compiler::agreement(sums, compiler::expectedSums(dy, held, beta), output_);
  EXPECT_EQ(found.wrong, 0) << what << ": element " << found.first_wrong << " of dbias";
}

std::vector<int32_t> DeviceCall::typesAt(const std::vector<int64_t> &positions) const {
  std::vector<int32_t> types;
  const int64_t width = layer_.row_types == RowTypesKind::Interval ? layer_.row_type_width : 1;
  for (const int64_t position : positions)
    types.push_back(position < 0 ? -1 : static_cast<int32_t>(position % (layer_.types * width) / width));
  return types;
}

} // namespace device_test
