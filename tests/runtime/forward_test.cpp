// The product through algrt.h with kernels written by hand, against the double-precision reference.
#include "runtime/algrt.h"
#include "runtime/bundle/bundle.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/compare.h"
#include "runtime/reference/random.h"
#include "runtime/reference/reference.h"
#include "runtime/support/error.h"
#include "tests/runtime/shapes.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

namespace algrt {
namespace {

using test::Shape;

// A matrix in either element type, with rows `stride` apart and a guard of recognisable values all around.
struct Matrix {
  Matrix(int64_t rows, int64_t columns, int64_t stride, bool bfloat16)
      : rows(rows), columns(columns), stride(stride), bfloat16(bfloat16) {
    wide.assign(bfloat16 ? 0 : size_t(rows * stride), guard());
    narrow.assign(bfloat16 ? size_t(rows * stride) : 0, toBfloat16(guard()));
    shape = {rows, columns};
    strides = {stride, 1};
    tensor.data = bfloat16 ? static_cast<void *>(narrow.data()) : static_cast<void *>(wide.data());
    tensor.device = {kDLCPU, 0};
    tensor.ndim = 2;
    tensor.dtype = bfloat16 ? DLDataType{kDLBfloat, 16, 1} : DLDataType{kDLFloat, 32, 1};
    tensor.shape = shape.data();
    tensor.strides = strides.data();
    tensor.byte_offset = 0;
  }
  Matrix(const Matrix &) = delete;

  static float guard() { return -12345; }
  float at(int64_t row, int64_t column) const {
    const size_t i = size_t(row * stride + column);
    return bfloat16 ? fromBfloat16(narrow[i]) : wide[i];
  }
  void set(int64_t row, int64_t column, float value) {
    const size_t i = size_t(row * stride + column);
    if (bfloat16)
      narrow[i] = toBfloat16(value);
    else
      wide[i] = value;
  }
  void fill(uint64_t seed, double deviation) {
    const std::vector<float> values = randomValues(rows * columns, deviation, seed);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        set(r, c, values[size_t(r * columns + c)]);
  }
  std::vector<float> values() const {
    std::vector<float> result;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        result.push_back(at(r, c));
    return result;
  }
  bool paddingUntouched() const {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = columns; c < stride; ++c)
        if (at(r, c) != (bfloat16 ? roundToBfloat16(guard()) : guard()))
          return false;
    return true;
  }

  int64_t rows, columns, stride;
  bool bfloat16;
  std::vector<float> wide;
  std::vector<uint16_t> narrow;
  std::vector<int64_t> shape, strides;
  DLTensor tensor;
};

struct Close {
  void operator()(algrt_bundle *bundle) const { algrt_bundle_close(bundle); }
  void operator()(algrt_weights *weights) const { algrt_weights_free(weights); }
};
using BundleHandle = std::unique_ptr<algrt_bundle, Close>;
using WeightsHandle = std::unique_ptr<algrt_weights, Close>;

BundleHandle openBytes(const std::string &bytes) {
  algrt_bundle *bundle = nullptr;
  EXPECT_EQ(algrt_bundle_open_memory(bytes.data(), bytes.size(), &bundle), ALGRT_OK) << algrt_last_error();
  return BundleHandle(bundle);
}

WeightsHandle packWeights(const BundleHandle &bundle, const DLTensor &w) {
  algrt_weights *weights = nullptr;
  EXPECT_EQ(algrt_weights_pack(bundle.get(), &w, 0, &weights), ALGRT_OK) << algrt_last_error();
  return WeightsHandle(weights);
}

// One product with everything it needs, correct until a test spoils it.
struct Product {
  Product(const Shape &shape, int64_t m, int64_t padding = 0)
      : shape(shape), bytes(test::bundleOf(shape)), bundle(openBytes(bytes)),
        x(m, shape.k(), shape.k() + padding, shape.bfloat16),
        w(shape.k(), shape.bankColumns(), shape.bankColumns() + padding, shape.bfloat16),
        y(m, shape.n(), shape.n() + padding, shape.bfloat16), args(algrt_forward_args_init()) {
    x.fill(1, 1);
    w.fill(2, 1 / std::sqrt(double(shape.k())));
    args.x = &x.tensor;
    args.w = &w.tensor;
    args.y = &y.tensor;
    types_tensor.data = nullptr;
    if (shape.period == 0)
      setTypes([&](int64_t row) { return int32_t(row * row % 5); }); // of 6 types: some have no row
  }

  template <typename Function> void setTypes(Function &&type_of_row) {
    types.clear();
    for (int64_t row = 0; row < x.rows; ++row)
      types.push_back(type_of_row(row));
    types_shape = {x.rows};
    types_tensor = {types.data(), {kDLCPU, 0}, 1, {kDLInt, 32, 1}, types_shape.data(), nullptr, 0};
    args.types = &types_tensor;
  }

  // Whole numbers of 4 or 8 bytes as one of the arguments of the call, kept until the next one of that name.
  struct Integers {
    std::vector<int64_t> wide;
    std::vector<int32_t> narrow;
    int64_t size = 0, stride = 1;
    DLTensor tensor{};
    const DLTensor *set(const std::vector<int64_t> &values, bool int64) {
      wide = values;
      narrow.assign(values.begin(), values.end());
      size = int64_t(values.size());
      void *data = int64 ? static_cast<void *>(wide.data()) : static_cast<void *>(narrow.data());
      tensor = {data, {kDLCPU, 0}, 1, {kDLInt, uint8_t(int64 ? 64 : 32), 1}, &size, &stride, 0};
      return &tensor;
    }
  };

  // The types that the reference takes, from the position of every row.
  void followFrom(const std::vector<int64_t> &positions_of_rows) {
    types.clear();
    if (shape.period > 0)
      for (const int64_t position : positions_of_rows)
        types.push_back(int32_t(position / shape.period % shape.groups));
  }
  void setPositions(const std::vector<int64_t> &values, bool int64) {
    args.positions = positions.set(values, int64);
    followFrom(values);
  }
  // Sequences of these lengths whose first rows are at these positions, or all at 0.
  void setSequences(const std::vector<int64_t> &lengths, const std::vector<int64_t> &firsts, bool int64) {
    std::vector<int64_t> sums = {0}, at;
    for (size_t s = 0; s < lengths.size(); ++s) {
      sums.push_back(sums.back() + lengths[s]);
      for (int64_t i = 0; i < lengths[s]; ++i)
        at.push_back((firsts.empty() ? 0 : firsts[s]) + i);
    }
    args.sequence_starts = starts.set(sums, int64);
    args.sequence_positions = firsts.empty() ? nullptr : sequence_positions.set(firsts, int64);
    followFrom(at);
  }

  int run() { return algrt_forward(bundle.get(), &args); }

  Comparison check() const {
    const Bundle parsed = Bundle::parse(bytes);
    const std::vector<float> x_values = x.values(), w_values = w.values();
    const std::vector<double> expected =
        referenceForward({&parsed.layer(), &parsed.support(), x.rows, x_values.data(), x.columns,
                          w_values.data(), w.columns, args.p0, types.empty() ? nullptr : types.data()});
    return compare(y.values(), expected);
  }

  void expectCorrect(const std::string &what) {
    ASSERT_EQ(run(), ALGRT_OK) << what << ": " << algrt_last_error();
    const Comparison comparison = check();
    EXPECT_TRUE(comparison.within(tolerance(shape.bfloat16))) << what << ": " << comparison.relative_l2;
    EXPECT_TRUE(y.paddingUntouched()) << what;
  }

  const Shape &shape;
  std::string bytes;
  BundleHandle bundle;
  Matrix x, w, y;
  std::vector<int32_t> types;
  std::vector<int64_t> types_shape;
  DLTensor types_tensor;
  Integers positions, starts, sequence_positions;
  algrt_forward_args args;
};

class Forward : public testing::TestWithParam<std::string> {
protected:
  const Shape &shape() const { return test::shape(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Shapes, Forward,
                         testing::Values("cyclic_f32", "cyclic_bf16", "interval_f32", "explicit_f32",
                                         "slots_f32"),
                         [](const auto &info) { return info.param; });

TEST_P(Forward, AgreesWithTheReference) {
  for (int64_t m : {1, 2, 3, 7, 16, 41})
    for (int64_t padding : {0, 5})
      for (int32_t threads : {0, 1, 2, 64}) {
        Product product(shape(), m, padding);
        product.args.threads = threads;
        product.args.p0 = shape().period == 0 ? 0 : 11 * m;
        const std::string what = std::to_string(m) + " rows, " + std::to_string(threads) + " threads";
        product.expectCorrect(what);
        // The packed kernel sees the same numbers in another order, and must give the same.
        const WeightsHandle weights = packWeights(product.bundle, product.w.tensor);
        const std::vector<float> unpacked = product.y.values();
        product.y.fill(9, 1);
        product.args.w = nullptr;
        product.args.weights = weights.get();
        product.expectCorrect(what + ", packed");
        EXPECT_EQ(product.y.values(), unpacked);
      }
}

TEST_P(Forward, PositionsAndSequencesAgreeWithTheReference) {
  if (shape().period == 0)
    return; // explicit types do not depend on positions
  std::mt19937_64 random(1);
  const auto upTo = [&](int64_t most) { return int64_t(random() % uint64_t(most + 1)); };
  for (int64_t m : {0, 1, 2, 17, 41})
    for (const bool int64 : {false, true})
      for (int32_t threads : {0, 1, 3}) {
        std::vector<int64_t> positions, lengths, firsts;
        for (int64_t row = 0; row < m; ++row)
          positions.push_back(upTo(int64 ? INT64_MAX - 1 : INT32_MAX - 1));
        for (int64_t left = m; left > 0; left -= lengths.back())
          lengths.push_back(upTo(3) == 0 ? 0 : 1 + upTo(left - 1));
        for (size_t s = 0; s < lengths.size(); ++s)
          firsts.push_back(upTo(1000));
        const std::string what = std::to_string(m) + " rows, " + std::to_string(threads) + " threads";
        for (int kind = 0; kind < 4; ++kind) {
          Product product(shape(), m);
          product.args.threads = threads;
          if (kind == 0)
            product.setPositions(positions, int64);
          else if (kind == 1)
            product.setPositions(std::vector<int64_t>(size_t(m), 7), int64); // all rows of one type
          else
            product.setSequences(lengths, kind == 2 ? firsts : std::vector<int64_t>(), int64);
          product.expectCorrect(what + ", kind " + std::to_string(kind));
          if (m == 0)
            continue;
          const WeightsHandle weights = packWeights(product.bundle, product.w.tensor);
          product.args.w = nullptr;
          product.args.weights = weights.get();
          product.y.fill(9, 1);
          product.expectCorrect(what + ", packed, kind " + std::to_string(kind));
        }
      }
}

// Positions one after another are what p0 says, to the bit.
TEST_P(Forward, PositionsThatFollowOneAnotherAreAnOffset) {
  if (shape().period == 0)
    return;
  Product product(shape(), 23);
  product.args.p0 = 19;
  product.expectCorrect("offset");
  const std::vector<float> expected = product.y.values();
  std::vector<int64_t> positions(23);
  std::iota(positions.begin(), positions.end(), 19);
  product.args.p0 = 0;
  product.setPositions(positions, false);
  product.y.fill(9, 1);
  ASSERT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(product.y.values(), expected);
  product.args.positions = nullptr;
  product.setSequences({0, 23}, {4, 19}, true);
  product.y.fill(9, 1);
  ASSERT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(product.y.values(), expected);
}

TEST_P(Forward, KernelsCanBeChosen) {
  Product product(shape(), 10);
  for (int32_t kernel : {2, 3}) { // copied and direct
    product.args.kernel = kernel;
    product.y.fill(uint64_t(kernel), 1);
    product.expectCorrect("kernel " + std::to_string(kernel));
  }
  product.args.kernel = 1;
  EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT) << "the packed kernel was given the user's bank";
  product.args.kernel = 4;
  EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT);
}

TEST_P(Forward, WorkspaceOfTheAskedSizeIsEnough) {
  for (int64_t m : {1, 30})
    for (int32_t threads : {0, 1, 2}) {
      Product product(shape(), m);
      size_t size = 0;
      ASSERT_EQ(algrt_workspace_size(product.bundle.get(), m, threads, &size), ALGRT_OK);
      // Unaligned, and filled with what a kernel must not rely on.
      std::vector<unsigned char> memory(size + 64 + 16, 0xff);
      product.args.workspace = memory.data() + 3;
      product.args.workspace_bytes = size;
      product.args.threads = threads;
      if (shape().period > 0) // what takes most: types from positions, and lists of rows
        product.setPositions(std::vector<int64_t>(size_t(m), 5), true);
      product.expectCorrect("workspace");
      EXPECT_TRUE(
          std::all_of(memory.begin() + 3 + long(size), memory.end(), [](int byte) { return byte == 0xff; }));
      product.args.workspace_bytes = size - 1;
      EXPECT_EQ(product.run(), ALGRT_WORKSPACE_TOO_SMALL);
    }
}

TEST_P(Forward, ManyThreadsShareOneBundle) {
  Product first(shape(), 9);
  std::vector<std::unique_ptr<Product>> products;
  for (int i = 0; i < 8; ++i) {
    products.push_back(std::make_unique<Product>(shape(), 1 + 5 * i));
    products.back()->bundle.reset();
  }
  std::vector<int> statuses(products.size(), -1);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < products.size(); ++i)
    threads.emplace_back([&, i] {
      for (int repeat = 0; repeat < 20; ++repeat) {
        statuses[i] = algrt_forward(first.bundle.get(), &products[i]->args);
        if (statuses[i] != ALGRT_OK)
          return;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < products.size(); ++i) {
    EXPECT_EQ(statuses[i], ALGRT_OK);
    EXPECT_TRUE(products[i]->check().within(tolerance(shape().bfloat16)));
  }
}

TEST_P(Forward, NanAndInfinityFlowTermByTerm) {
  for (float special : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                        -std::numeric_limits<float>::infinity()})
    for (bool in_w : {false, true}) {
      Product product(shape(), 13);
      if (in_w)
        product.w.set(shape().in, 0, special);
      else
        product.x.set(4, shape().in, special);
      ASSERT_EQ(product.run(), ALGRT_OK);
      EXPECT_EQ(product.check().kind_mismatches, 0);
      const std::vector<float> y = product.y.values();
      EXPECT_TRUE(std::any_of(y.begin(), y.end(), [](float v) { return !std::isfinite(v); }));
      EXPECT_TRUE(std::any_of(y.begin(), y.end(), [](float v) { return std::isfinite(v); }));
    }
}

TEST_P(Forward, NoRowsAreDoneAtOnce) {
  Product product(shape(), 0);
  EXPECT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
  product.x.tensor.data = product.y.tensor.data = nullptr;
  EXPECT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
}

TEST(ForwardTypes, ATypeMayHaveAllRowsOrNone) {
  for (int32_t type : {0, 5}) {
    Product product(test::shape("explicit_f32"), 20);
    product.setTypes([&](int64_t) { return type; });
    product.expectCorrect("all rows of type " + std::to_string(type));
  }
}

TEST(ForwardTypes, ExplicitTypesEqualTheScheduleTheySpellOut) {
  Product product(test::shape("explicit_f32"), 25);
  product.setTypes([](int64_t row) { return int32_t((row + 4) % 6); });
  product.expectCorrect("cyclic, spelled out");
}

TEST(ForwardSlots, BanksMayHaveThreeDimensions) {
  Product product(test::shape("slots_f32"), 6, 3);
  std::vector<int64_t> blocks = {4, 3, 5}, strides = {3 * product.w.stride, product.w.stride, 1};
  product.w.tensor.ndim = 3;
  product.w.tensor.shape = blocks.data();
  product.w.tensor.strides = strides.data();
  product.expectCorrect("three dimensions");
  strides[0] += 1;
  EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(algrt_last_error()).find("blocks 25 elements apart, needs 24"), std::string::npos)
      << algrt_last_error();
}

// Misuse: what is done to a correct product, and what the sentence must contain.
struct Misuse {
  const char *what;
  void (*spoil)(Product &);
  const char *words;
};

TEST(ForwardMisuse, IsRefusedWithASentence) {
  static std::vector<float> buffer(10000);
  static std::vector<int64_t> odd_shape = {9, 19}, odd_strides = {20, 2}, short_strides = {19, 1}, one = {9};
  const Misuse cases[] = {
      {"no x", [](Product &p) { p.args.x = nullptr; }, "x is null"},
      {"no y", [](Product &p) { p.args.y = nullptr; }, "y is null"},
      {"no data", [](Product &p) { p.x.tensor.data = nullptr; }, "x: has no data"},
      {"no shape", [](Product &p) { p.x.tensor.shape = nullptr; }, "x: has no shape"},
      {"width", [](Product &p) { p.x.tensor.shape = odd_shape.data(); },
       "x: has shape [9, 19], needs [M, 20]"},
      {"rows of y", [](Product &p) { p.y.shape[0] = 8; }, "y: has shape [8, 30], needs [9, 30]"},
      {"dimensions", [](Product &p) { p.x.tensor.ndim = 1; }, "x: has shape [9], needs [M, 20]"},
      {"negative extent", [](Product &p) { p.x.shape[0] = -9; }, "x: has shape [-9, 20], needs [M, 20]"},
      {"minus one row", [](Product &p) { p.x.shape[0] = -1; }, "x: has shape [-1, 20], needs [M, 20]"},
      {"dtype", [](Product &p) { p.x.tensor.dtype = {kDLFloat, 64, 1}; }, "x: is of type f64, needs f32"},
      {"bf16", [](Product &p) { p.w.tensor.dtype = {kDLBfloat, 16, 1}; }, "w: is of type bf16, needs f32"},
      {"lanes", [](Product &p) { p.w.tensor.dtype.lanes = 4; }, "w: is of type f32x4, needs f32"},
      {"device", [](Product &p) { p.y.tensor.device.device_type = kDLCUDA; }, "y: is on a device"},
      {"inner stride", [](Product &p) { p.x.tensor.strides = odd_strides.data(); }, "stride 2 inside a row"},
      {"row stride", [](Product &p) { p.x.tensor.strides = short_strides.data(); },
       "less than their width 20"},
      {"negative stride", [](Product &p) { p.x.strides[0] = -20; }, "less than their width"},
      {"size overflow", [](Product &p) { p.x.strides[0] = INT64_MAX / 4; }, "64 bits"},
      {"alignment", [](Product &p) { p.x.tensor.byte_offset = 2; }, "x: starts at an address"},
      {"bank", [](Product &p) { p.w.shape[1] = 29; }, "w: has shape [20, 29], needs [20, 30]"},
      {"position", [](Product &p) { p.args.p0 = -1; }, "p0 is -1"},
      {"last position", [](Product &p) { p.args.p0 = INT64_MAX - 3; }, "does not fit 64 bits"},
      {"threads", [](Product &p) { p.args.threads = -2; }, "threads is -2"},
      {"stream", [](Product &p) { p.args.stream = &p; }, "stream is set"},
      {"no weights", [](Product &p) { p.args.w = nullptr; }, "both null"},
      {"bias", [](Product &p) { p.args.bias = &p.x.tensor; },
       "bias is given, but the layer of the bundle has none"},
      {"types", [](Product &p) { p.setTypes([](int64_t) { return 0; }); }, "types is given"},
      {"struct size", [](Product &p) { p.args.struct_size = 0; }, "algrt_forward_args_init"},
      {"overlap with x",
       [](Product &p) {
         p.x.tensor.data = buffer.data();
         p.y.tensor.data = buffer.data() + 170;
       },
       "y: overlaps x"},
      {"overlap with w", [](Product &p) { p.y.tensor.data = p.w.tensor.data; }, "y: overlaps w"},
  };
  for (const Misuse &misuse : cases) {
    Product product(test::shape("cyclic_f32"), 9);
    misuse.spoil(product);
    const int status = product.run();
    EXPECT_TRUE(status == ALGRT_INVALID_ARGUMENT || status == ALGRT_OUT_OF_MEMORY)
        << misuse.what << ": " << status;
    EXPECT_NE(std::string(algrt_last_error()).find(misuse.words), std::string::npos)
        << misuse.what << ": " << algrt_last_error();
  }
}

// Of a layer that adds a bias. None of these calls gets as far as the kernel, which was written without one.
TEST(ForwardMisuse, ABiasIsChecked) {
  static int64_t length, stride;
  static DLTensor bias;
  const Misuse cases[] = {
      {"none", [](Product &p) { p.args.bias = nullptr; }, "bias is null: the layer adds a bias"},
      {"older caller", [](Product &p) { p.args.struct_size = offsetof(algrt_forward_args, bias); },
       "bias is null: the layer adds a bias"},
      {"length", [](Product &) { length = 29; }, "bias: has shape [29], needs [30]"},
      {"matrix", [](Product &p) { p.args.bias = &p.y.tensor; }, "bias: has shape [9, 30], needs [30]"},
      {"type", [](Product &) { bias.dtype = {kDLBfloat, 16, 1}; }, "bias: is of type bf16, needs f32"},
      {"device", [](Product &) { bias.device = {kDLCUDA, 0}; }, "bias: is on a device"},
      {"stride", [](Product &) { stride = 2; }, "bias: has stride 2, needs 1"},
      {"overlap", [](Product &p) { bias.data = p.y.tensor.data; }, "y: overlaps bias"},
  };
  for (const Misuse &misuse : cases) {
    Product product(test::shape("cyclic_f32"), 9);
    auto manifest = test::manifestOf(product.shape);
    manifest["layer"]["bias"] = true;
    product.bytes = test::bundleOf(product.shape, manifest);
    product.bundle = openBytes(product.bytes);
    algrt_bundle_info info = algrt_bundle_info_init();
    ASSERT_EQ(algrt_bundle_get_info(product.bundle.get(), &info), ALGRT_OK);
    EXPECT_EQ(info.bias, 1);
    std::vector<float> values(30, 1.0f);
    length = 30;
    stride = 1;
    bias = {values.data(), {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &length, &stride, 0};
    product.args.bias = &bias;
    misuse.spoil(product);
    EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT) << misuse.what;
    EXPECT_NE(std::string(algrt_last_error()).find(misuse.words), std::string::npos)
        << misuse.what << ": " << algrt_last_error();
  }
}

TEST(ForwardMisuse, PositionsAreChecked) {
  static const auto setSequences = [](Product &p) { p.setSequences({4, 0, 5}, {3, 4, 5}, true); };
  const Misuse cases[] = {
      {"offset", [](Product &p) { p.args.p0 = 2; }, "p0 is 2, needs 0 where positions is given"},
      {"both", [](Product &p) { setSequences(p); }, "positions and sequence_starts are both given"},
      {"no starts",
       [](Product &p) {
         setSequences(p);
         p.args.sequence_starts = nullptr;
       },
       "sequence_positions is given, but sequence_starts is null"},
      {"negative", [](Product &p) { p.positions.wide[7] = -4; },
       "positions: element 7 is -4, needs 0 or more"},
      {"length", [](Product &p) { p.positions.size = 8; },
       "positions: has shape [8], needs [9]: one position per row"},
      {"type", [](Product &p) { p.positions.tensor.dtype.bits = 16; },
       "positions: is of type int16, needs int32 or int64"},
      {"sign", [](Product &p) { p.positions.tensor.dtype.code = kDLUInt; },
       "positions: is of type uint64, needs int32 or int64"},
      {"stride", [](Product &p) { p.positions.stride = 2; }, "positions: has stride 2, needs 1"},
      {"device", [](Product &p) { p.positions.tensor.device = {kDLCUDA, 1}; },
       "positions: is on a device of DLPack type 2 (CUDA), number 1, needs to be in CPU memory"},
      {"no data", [](Product &p) { p.positions.tensor.data = nullptr; }, "positions: has no data"},
      {"overlap", [](Product &p) { p.y.tensor.data = p.positions.wide.data(); }, "y: overlaps positions"},
  };
  const Misuse of_sequences[] = {
      {"offset", [](Product &p) { p.args.p0 = 1; }, "p0 is 1, needs 0 where sequence_starts is given"},
      {"empty", [](Product &p) { p.starts.size = 0; }, "sequence_starts: is empty"},
      {"matrix", [](Product &p) { p.args.sequence_starts = &p.y.tensor; },
       "sequence_starts: is of type f32, needs int32 or int64"},
      {"order", [](Product &p) { p.starts.wide[1] = 5; }, "sequence_starts: element 2 is 4, needs 5 or more"},
      {"end", [](Product &p) { p.starts.wide[3] = 10; }, "sequence_starts: element 3 is 10, needs 9"},
      {"beginning", [](Product &p) { p.starts.wide[0] = 1; }, "sequence_starts: element 0 is 1, needs 0"},
      {"number", [](Product &p) { p.sequence_positions.size = 2; },
       "sequence_positions: has shape [2], needs [3]"},
      {"other type", [](Product &p) { p.sequence_positions.set({3, 4, 5}, false); },
       "sequence_positions: is of type int32, needs int64 as sequence_starts is"},
      {"negative", [](Product &p) { p.sequence_positions.wide[1] = -1; },
       "sequence_positions: element 1 is -1, needs 0 or more"},
      {"far", [](Product &p) { p.sequence_positions.wide[2] = INT64_MAX - 4; }, "does not fit 64 bits"},
      {"overlap", [](Product &p) { p.y.tensor.data = p.starts.wide.data(); }, "y: overlaps sequence_starts"},
  };
  const auto refused = [](Product &product, const Misuse &misuse) {
    misuse.spoil(product);
    EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT) << misuse.what;
    EXPECT_NE(std::string(algrt_last_error()).find(misuse.words), std::string::npos)
        << misuse.what << ": " << algrt_last_error();
  };
  for (const Misuse &misuse : cases) {
    Product product(test::shape("cyclic_f32"), 9);
    product.setPositions({0, 1, 2, 3, 4, 5, 6, 7, 8}, true);
    refused(product, misuse);
  }
  for (const Misuse &misuse : of_sequences) {
    Product product(test::shape("cyclic_f32"), 9);
    setSequences(product);
    refused(product, misuse);
  }
  Product explicit_types(test::shape("explicit_f32"), 9);
  refused(explicit_types, {"explicit", [](Product &p) { p.args.positions = p.positions.set({1}, true); },
                           "positions is given, but the layer's row types are explicit"});
  // Without rows what is said of them is still looked at.
  Product none(test::shape("cyclic_f32"), 0);
  none.setSequences({}, {}, true);
  EXPECT_EQ(none.run(), ALGRT_OK) << algrt_last_error();
  refused(none, {"rows", [](Product &p) { p.setSequences({4}, {}, true); },
                 "sequence_starts: element 1 is 4, needs 0"});
}

// A kernel that was compiled without lists would take the rows for others.
TEST(ForwardKernels, PositionsNeedAKernelThatTakesLists) {
  const Shape &shape = test::shape("cyclic_f32");
  nlohmann::ordered_json manifest = test::manifestOf(shape);
  for (nlohmann::ordered_json &kernel : manifest["kernels"])
    kernel.erase("row_lists");
  Product product(shape, 9);
  product.bundle = openBytes(test::bundleOf(shape, manifest));
  product.expectCorrect("offset");
  product.setPositions({8, 7, 6, 5, 4, 3, 2, 1, 0}, true);
  EXPECT_EQ(product.run(), ALGRT_UNSUPPORTED);
  EXPECT_NE(std::string(algrt_last_error()).find("takes rows at positions from p0 on alone"),
            std::string::npos)
      << algrt_last_error();
}

// A caller that was compiled before there were positions says less.
TEST(ForwardMisuse, OlderStructsWork) {
  Product product(test::shape("cyclic_f32"), 9);
  product.args.positions = &product.y.tensor; // not of its structure
  product.args.struct_size = offsetof(algrt_forward_args, positions);
  product.expectCorrect("older caller");
}

TEST(ForwardMisuse, ExplicitTypesAreChecked) {
  const Misuse cases[] = {
      {"none", [](Product &p) { p.args.types = nullptr; }, "types is null"},
      {"range", [](Product &p) { p.types[3] = 6; }, "row 3 has type 6"},
      {"negative", [](Product &p) { p.types[8] = -1; }, "row 8 has type -1"},
      {"length", [](Product &p) { p.types_shape[0] = 8; }, "types: has shape [8], needs [9]"},
      {"int64", [](Product &p) { p.types_tensor.dtype.bits = 64; }, "types: is of type int64, needs int32"},
      {"position", [](Product &p) { p.args.p0 = 1; }, "explicit types do not depend on the position"},
      {"overlap", [](Product &p) { p.types_tensor.data = p.y.tensor.data; }, "y: overlaps types"},
  };
  for (const Misuse &misuse : cases) {
    Product product(test::shape("explicit_f32"), 9);
    misuse.spoil(product);
    EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT) << misuse.what;
    EXPECT_NE(std::string(algrt_last_error()).find(misuse.words), std::string::npos)
        << misuse.what << ": " << algrt_last_error();
  }
}

TEST(ForwardMisuse, ColumnsOfOneBufferDoNotOverlap) {
  Product product(test::shape("cyclic_f32"), 9);
  std::vector<float> buffer(9 * 60, 1);
  product.x.tensor.data = buffer.data();
  product.y.tensor.data = buffer.data() + 20;
  product.x.strides[0] = product.y.strides[0] = 60;
  EXPECT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
  product.y.tensor.data = buffer.data() + 19;
  EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT);
  product.y.tensor.data = buffer.data() + 31; // its rows would run into the next row of x
  EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT);
}

TEST(ForwardMisuse, PackedWeightsBelongToTheirBundle) {
  Product q5(test::shape("cyclic_f32"), 9), other(test::shape("interval_f32"), 9);
  const WeightsHandle weights = packWeights(other.bundle, other.w.tensor);
  q5.args.w = nullptr;
  q5.args.weights = weights.get();
  EXPECT_EQ(q5.run(), ALGRT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(algrt_last_error()).find("another bundle"), std::string::npos);
}

TEST(ForwardMisuse, NewerStructsWorkUnlessTheyUseNewFields) {
  Product product(test::shape("cyclic_f32"), 9);
  struct {
    algrt_forward_args args;
    int64_t field_of_the_future;
  } newer = {product.args, 0};
  newer.args.struct_size = sizeof(newer);
  EXPECT_EQ(algrt_forward(product.bundle.get(), &newer.args), ALGRT_OK) << algrt_last_error();
  newer.field_of_the_future = 1;
  EXPECT_EQ(algrt_forward(product.bundle.get(), &newer.args), ALGRT_UNSUPPORTED);
}

TEST(ForwardKernels, MissingCpuFeaturesAreNamed) {
  const Shape &shape = test::shape("cyclic_f32");
  nlohmann::ordered_json manifest = test::manifestOf(shape);
  for (nlohmann::ordered_json &kernel : manifest["kernels"])
    kernel["features"] = {"sse2", "avx1024f"};
  Product product(shape, 9);
  product.bundle = openBytes(test::bundleOf(shape, manifest));
  EXPECT_EQ(product.run(), ALGRT_UNSUPPORTED);
  EXPECT_NE(std::string(algrt_last_error()).find("lacks avx1024f"), std::string::npos) << algrt_last_error();
  algrt_weights *weights = nullptr;
  EXPECT_EQ(algrt_weights_pack(product.bundle.get(), &product.w.tensor, 0, &weights), ALGRT_UNSUPPORTED);
  EXPECT_EQ(weights, nullptr);
  algrt_bundle_info info = algrt_bundle_info_init();
  ASSERT_EQ(algrt_bundle_get_info(product.bundle.get(), &info), ALGRT_OK);
  EXPECT_EQ(info.runs_here, 0);
  EXPECT_NE(std::string(algrt_bundle_describe_kernels(product.bundle.get())).find("avx1024f"),
            std::string::npos);
  // Where one kernel can run, it is the one that runs.
  manifest["kernels"][2]["features"] = {"sse2"};
  product.bundle = openBytes(test::bundleOf(shape, manifest));
  product.expectCorrect("direct kernel only");
}

TEST(ForwardKernels, BrokenCodeIsRefused) {
  const Shape &shape = test::shape("cyclic_f32");
  nlohmann::ordered_json manifest = test::manifestOf(shape);
  manifest["kernels"][1]["symbol"] = "no_such_symbol";
  Product product(shape, 30); // too many rows per type for the direct kernel
  product.bundle = openBytes(test::bundleOf(shape, manifest));
  EXPECT_EQ(product.run(), ALGRT_BAD_BUNDLE);
  EXPECT_NE(std::string(algrt_last_error()).find("no_such_symbol"), std::string::npos) << algrt_last_error();
}

// Two bundles open at once hold different code under the same symbols.
TEST(ForwardKernels, BundlesDoNotShareCode) {
  Product a(test::shape("cyclic_f32"), 9), b(test::shape("interval_f32"), 9),
      c(test::shape("cyclic_bf16"), 9);
  a.expectCorrect("a");
  b.expectCorrect("b");
  a.bundle.reset();
  c.expectCorrect("c");
  b.expectCorrect("b again");
}

} // namespace
} // namespace algrt
