// Tensors whose bytes have no addresses: refused before anything is computed with them, whichever argument of
// whichever function they are.
#include "tests/runtime/cpu_product.h"

#include <functional>
#include <gtest/gtest.h>

namespace algrt {
namespace {

using Product = test::CpuProduct;

struct Call {
  const char *argument;
  DLTensor *tensor;
  std::function<int()> run;
};

// Every byte offset at which no tensor can be, given to that argument of a call that is otherwise correct.
void expectOffsetsRefused(const Call &call) {
  std::vector<uint64_t> offsets = {UINT64_MAX, UINT64_MAX - 7, ~uint64_t(0) << 12, (uint64_t(1) << 56) - 8};
  for (int bit = 56; bit < 64; ++bit)
    offsets.push_back(uint64_t(1) << bit);
#if defined(__x86_64__)
  for (int bit = 47; bit < 56; ++bit)
    offsets.push_back(uint64_t(1) << bit);
#endif
  for (const uint64_t offset : offsets) {
    call.tensor->byte_offset = offset;
    EXPECT_EQ(call.run(), ALGRT_INVALID_ARGUMENT) << call.argument << " at " << offset;
    const std::string message = algrt_last_error();
    EXPECT_TRUE(message.starts_with(std::string(call.argument) + ": has ") &&
                message.ends_with("beyond the address space"))
        << message;
  }
  call.tensor->byte_offset = 0;
}

TEST(Tensors, OffsetsBeyondTheAddressSpace) {
  for (const char *shape : {"cyclic_f32", "slots_f32", "explicit_f32"}) {
    Product product(test::shape(shape), 9);
    const auto forward = [&] { return product.run(); };
    for (const Call &call : {Call{"x", &product.x.tensor, forward}, Call{"w", &product.w.tensor, forward},
                             Call{"y", &product.y.tensor, forward}})
      expectOffsetsRefused(call);
    expectOffsetsRefused({"w", &product.w.tensor, [&] {
                            algrt_weights *weights = nullptr;
                            return algrt_weights_pack(product.bundle.get(), &product.w.tensor, 1, &weights);
                          }});
    if (product.args.types != nullptr)
      expectOffsetsRefused({"types", &product.types_tensor, forward});
    product.expectCorrect(shape);
  }
}

TEST(Tensors, OffsetsOfPositions) {
  Product product(test::shape("cyclic_f32"), 9);
  const auto forward = [&] { return product.run(); };
  product.setPositions({0, 1, 2, 3, 4, 5, 6, 7, 8}, true);
  expectOffsetsRefused({"positions", &product.positions.tensor, forward});
  product.args.positions = nullptr;
  product.setSequences({4, 0, 5}, {3, 4, 5}, false);
  expectOffsetsRefused({"sequence_starts", &product.starts.tensor, forward});
  expectOffsetsRefused({"sequence_positions", &product.sequence_positions.tensor, forward});
  product.expectCorrect("sequences");
}

// The functions' other tensors; the kernels are written by hand, and none is of a gradient, but nothing gets
// so far.
TEST(Tensors, OffsetsOfGradientsAndBiases) {
  Product product(test::shape("cyclic_f32"), 9);
  auto manifest = test::manifestOf(product.shape);
  manifest["layer"]["bias"] = true;
  const test::BundleHandle biased = test::openBytes(test::bundleOf(product.shape, manifest));
  std::vector<float> numbers(30, 1.0f);
  std::vector<int64_t> length = {30};
  DLTensor vector = {numbers.data(), {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, length.data(), nullptr, 0};
  product.args.bias = &vector;
  expectOffsetsRefused({"bias", &vector, [&] { return algrt_forward(biased.get(), &product.args); }});

  algrt_dx_args dx = algrt_dx_args_init();
  dx.dy = &product.y.tensor;
  dx.dx = &product.x.tensor;
  dx.w = &product.w.tensor;
  const auto run_dx = [&] { return algrt_dx(product.bundle.get(), &dx); };
  for (const Call &call : {Call{"dy", &product.y.tensor, run_dx}, Call{"dx", &product.x.tensor, run_dx},
                           Call{"w", &product.w.tensor, run_dx}})
    expectOffsetsRefused(call);

  algrt_dw_args dw = algrt_dw_args_init();
  dw.x = &product.x.tensor;
  dw.dy = &product.y.tensor;
  dw.dw = &product.w.tensor;
  dw.dbias = &vector;
  const auto run_dw = [&] { return algrt_dw(product.bundle.get(), &dw); };
  for (const Call &call : {Call{"x", &product.x.tensor, run_dw}, Call{"dy", &product.y.tensor, run_dw},
                           Call{"dw", &product.w.tensor, run_dw}, Call{"dbias", &vector, run_dw}})
    expectOffsetsRefused(call);
}

TEST(Tensors, ExtentsBeyondTheAddressSpace) {
  Product product(test::shape("cyclic_f32"), 9);
  for (const int64_t stride : {int64_t(1) << 45, int64_t(1) << 52, int64_t(1) << 55}) {
    product.x.strides[0] = stride;
    EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT) << stride;
    EXPECT_NE(std::string(algrt_last_error()).find("x: has "), std::string::npos) << algrt_last_error();
  }
}

// A structure that was never initialised claims any size; the bytes behind it are not the caller's to be
// read.
TEST(Tensors, StructuresOfImpossibleSizes) {
  Product product(test::shape("cyclic_f32"), 9);
  for (const size_t size : {size_t(5000), size_t(1) << 40, SIZE_MAX}) {
    product.args.struct_size = size;
    EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT) << size;
    EXPECT_NE(std::string(algrt_last_error()).find("algrt_forward_args_init"), std::string::npos);
  }
}

} // namespace
} // namespace algrt
