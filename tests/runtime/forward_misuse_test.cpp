// Calls of algrt_forward that are wrong: each is refused with a sentence, or is not wrong after all.
#include "tests/runtime/cpu_product.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace algrt {
namespace {

using test::openBytes;
using test::packWeights;
using test::WeightsHandle;
using Product = test::CpuProduct;

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
      {"x transposed",
       [](Product &p) {
         p.x.shape[0] = 20;
         p.x.shape[1] = 9;
       },
       "x: has shape [20, 9], needs [M, 20]: transposed?"},
      {"w transposed",
       [](Product &p) {
         p.w.shape[0] = 30;
         p.w.shape[1] = 20;
       },
       "w: has shape [30, 20], needs [20, 30]: transposed?"},
      {"y transposed",
       [](Product &p) {
         p.y.shape[0] = 30;
         p.y.shape[1] = 9;
       },
       "y: has shape [30, 9], needs [9, 30]: transposed?"},
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
      {"last position", [](Product &p) { p.args.p0 = INT64_MAX - 7; }, "does not fit 64 bits"},
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
  static const auto set_sequences = [](Product &p) { p.setSequences({4, 0, 5}, {3, 4, 5}, true); };
  const Misuse cases[] = {
      {"offset", [](Product &p) { p.args.p0 = 2; }, "p0 is 2, needs 0 where positions is given"},
      {"both", [](Product &p) { set_sequences(p); }, "positions and sequence_starts are both given"},
      {"no starts",
       [](Product &p) {
         set_sequences(p);
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
      // y is longer than these and may reach other operands behind them, too: which one is named is not said
      // here.
      {"overlap", [](Product &p) { p.y.tensor.data = p.positions.wide.data(); }, "y: overlaps "},
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
      {"far", [](Product &p) { p.sequence_positions.wide[2] = INT64_MAX - 3; }, "does not fit 64 bits"},
      {"overlap", [](Product &p) { p.y.tensor.data = p.starts.wide.data(); }, "y: overlaps "},
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
    set_sequences(product);
    refused(product, misuse);
  }
  const Misuse of_equal_sequences[] = {
      {"negative", [](Product &p) { p.args.sequence_rows = -3; }, "sequence_rows is -3, needs 0"},
      {"divides", [](Product &p) { p.args.sequence_rows = 4; },
       "sequence_rows is 4: 9 rows are no whole number of such sequences"},
      {"longer", [](Product &p) { p.args.sequence_rows = 18; }, "no whole number"},
      {"far", [](Product &p) { p.args.p0 = INT64_MAX - 1; }, "does not fit 64 bits"},
      {"positions", [](Product &p) { p.setPositions({0, 1, 2, 3, 4, 5, 6, 7, 8}, true); },
       "sequence_rows is 3, needs 0 where positions is given"},
      {"starts", [](Product &p) { set_sequences(p); },
       "sequence_rows is 3, needs 0 where sequence_starts is given"}};
  for (const Misuse &misuse : of_equal_sequences) {
    Product product(test::shape("cyclic_f32"), 9);
    product.setEqualSequences(3, 0);
    refused(product, misuse);
  }
  Product explicit_types(test::shape("explicit_f32"), 9);
  refused(explicit_types, {"explicit", [](Product &p) { p.args.sequence_rows = 3; },
                           "sequence_rows is 3, but the layer's row types are explicit"});
  explicit_types.args.sequence_rows = 0;
  refused(explicit_types, {"explicit", [](Product &p) { p.args.positions = p.positions.set({1}, true); },
                           "positions is given, but the layer's row types are explicit"});
  // Without rows what is said of them is still looked at.
  Product none(test::shape("cyclic_f32"), 0);
  none.setSequences({}, {}, true);
  EXPECT_EQ(none.run(), ALGRT_OK) << algrt_last_error();
  refused(none, {"rows", [](Product &p) { p.setSequences({4}, {}, true); },
                 "sequence_starts: element 1 is 4, needs 0"});
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

} // namespace
} // namespace algrt
