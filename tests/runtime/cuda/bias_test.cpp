// A bias on its way to kernels of CUDA devices, against the stand-in driver: its address is the last
// parameter.
#include "tests/runtime/cuda/gpu_product.h"
#include "tests/runtime/cuda_stand_in/control.h"

#include <cstring>
#include <gtest/gtest.h>

namespace algrt::test {
namespace {

class CudaBias : public testing::Test {
protected:
  CudaBias() {
    useStandIn();
    cuda_stand_in::reset({{}, {}});
    cuda_stand_in::onLaunch([this](const cuda_stand_in::Launch &launch) { last = launch; });
  }
  ~CudaBias() override {
    EXPECT_EQ(cuda_stand_in::violations(), std::vector<std::string>());
    EXPECT_EQ(cuda_stand_in::leaks(), std::vector<std::string>());
  }

  cuda_stand_in::Launch last;
};

// A vector in the memory of a device: the first row of a matrix.
DLTensor vectorOf(const GpuMatrix &matrix, int64_t *size, int64_t offset = 0) {
  DLTensor vector = matrix.tensor;
  vector.ndim = 1;
  vector.shape = size;
  vector.strides = nullptr;
  vector.byte_offset += uint64_t(offset);
  return vector;
}

TEST_F(CudaBias, IsTheLastParameter) {
  for (int64_t vector : {0, 1}) { // by tensor maps and by plain ones
    const GpuShape shape{.vector = vector, .bias = true};
    const TestContext context(0);
    GpuProduct product(context, shape, 9);
    int64_t n = shape.n();
    const GpuMatrix numbers(context, 0, 1, n + 1, 0, ElementType::Bf16);
    for (int64_t offset : {0, 2}) { // at any multiple of an element
      const DLTensor bias = vectorOf(numbers, &n, offset);
      product.args.bias = &bias;
      ASSERT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
      ASSERT_EQ(last.parameters.size(), 5u);
      uint64_t address = 0;
      ASSERT_EQ(last.parameters[4].size(), sizeof(address));
      std::memcpy(&address, last.parameters[4].data(), sizeof(address));
      EXPECT_EQ(address, reinterpret_cast<uintptr_t>(bias.data) + bias.byte_offset);
    }
  }
}

TEST_F(CudaBias, IsChecked) {
  const GpuShape shape{.bias = true};
  const TestContext context(0);
  GpuProduct product(context, shape, 9);
  int64_t n = shape.n(), fewer = n - 1;
  const GpuMatrix numbers(context, 0, 1, n, 0, ElementType::Bf16);
  std::vector<uint16_t> on_the_host(size_t(n), 0);
  DLTensor shorter = vectorOf(numbers, &fewer), elsewhere = vectorOf(numbers, &n),
           wide = vectorOf(numbers, &n), result = vectorOf(product.y, &n);
  elsewhere.device = {kDLCPU, 0};
  elsewhere.data = on_the_host.data();
  wide.dtype = {kDLFloat, 32, 1};
  const std::pair<const DLTensor *, const char *> wrong[] = {
      {nullptr, "bias is null: the layer adds a bias"},
      {&shorter, "bias: has shape [95], needs [96]"},
      {&elsewhere, "bias: is in CPU memory"},
      {&wide, "bias: is of type f32, needs bf16"},
      {&result, "y: overlaps bias"},
  };
  for (const auto &[bias, words] : wrong) {
    product.args.bias = bias;
    EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT) << words;
    EXPECT_NE(std::string(algrt_last_error()).find(words), std::string::npos) << algrt_last_error();
  }
}

TEST_F(CudaBias, BelongsToLayersThatHaveOne) {
  const GpuShape shape;
  const TestContext context(0);
  GpuProduct product(context, shape, 9);
  int64_t n = shape.n();
  const GpuMatrix numbers(context, 0, 1, n, 0, ElementType::Bf16);
  const DLTensor bias = vectorOf(numbers, &n);
  product.args.bias = &bias;
  EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(algrt_last_error()).find("bias is given, but the layer"), std::string::npos);
}

} // namespace
} // namespace algrt::test
