#include "tests/runtime/cuda/gpu_product.h"

#include "runtime/bundle/bundle.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/compare.h"
#include "runtime/reference/random.h"
#include "runtime/reference/reference.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

namespace algrt::test {

namespace {

constexpr unsigned char poison_byte = 0xff; // NaN in either type

} // namespace

BundleHandle openBundle(const std::string &bytes) {
  algrt_bundle *bundle = nullptr;
  EXPECT_EQ(algrt_bundle_open_memory(bytes.data(), bytes.size(), &bundle), ALGRT_OK) << algrt_last_error();
  return BundleHandle(bundle);
}

void useStandIn() { ::setenv("ALGRT_CUDA_DRIVER", ALGRT_TEST_STAND_IN, 1); }

TestContext::TestContext(int device) : driver_(cuda::Driver::open()), device_(device) {
  cuda::Context context;
  driver_->check(driver_->devicePrimaryCtxRetain(&context, device), "the test's context");
  driver_->check(driver_->ctxPushCurrent(context), "the test's context");
}

TestContext::~TestContext() {
  cuda::Context context;
  EXPECT_EQ(driver_->ctxPopCurrent(&context), cuda::Result::Success);
  EXPECT_EQ(driver_->devicePrimaryCtxRelease(device_), cuda::Result::Success);
}

GpuMatrix::GpuMatrix(const TestContext &context, int device, int64_t rows, int64_t columns, int64_t padding,
                     ElementType element)
    : shape({rows, columns}), strides({columns + padding, 1}), driver_(context.driver()), element_(element),
      element_bytes_(elementBytes(element)) {
  driver_.check(driver_.memAlloc(&address_, size_t(std::max<int64_t>(rows, 1) * strides[0] * element_bytes_)),
                "memory of a test");
  tensor = {reinterpret_cast<void *>(address_),
            {kDLCUDA, device},
            2,
            element == ElementType::F32 ? DLDataType{kDLFloat, 32, 1} : DLDataType{kDLBfloat, 16, 1},
            shape.data(),
            strides.data(),
            0};
  poison();
}

GpuMatrix::~GpuMatrix() { EXPECT_EQ(driver_.memFree(address_), cuda::Result::Success); }

std::byte *GpuMatrix::at(int64_t row, int64_t column) const {
  return static_cast<std::byte *>(tensor.data) + (row * strides[0] + column) * element_bytes_;
}

void GpuMatrix::poison() {
  std::memset(tensor.data, poison_byte, size_t(shape[0] * strides[0] * element_bytes_));
}

void GpuMatrix::fill(uint64_t seed, double deviation) {
  const std::vector<float> values = randomValues(shape[0] * shape[1], deviation, seed);
  for (int64_t r = 0; r < shape[0]; ++r)
    for (int64_t c = 0; c < shape[1]; ++c) {
      const uint16_t bits = toBfloat16(values[size_t(r * shape[1] + c)]);
      std::memcpy(at(r, c), &bits, sizeof(bits));
    }
}

std::vector<float> GpuMatrix::values() const {
  std::vector<float> result;
  for (int64_t r = 0; r < shape[0]; ++r)
    for (int64_t c = 0; c < shape[1]; ++c) {
      float wide;
      uint16_t narrow;
      if (element_ == ElementType::F32) {
        std::memcpy(&wide, at(r, c), sizeof(wide));
      } else {
        std::memcpy(&narrow, at(r, c), sizeof(narrow));
        wide = fromBfloat16(narrow);
      }
      result.push_back(wide);
    }
  return result;
}

bool GpuMatrix::paddingIsPoison() const {
  for (int64_t r = 0; r < shape[0]; ++r)
    for (const std::byte *byte = at(r, shape[1]); byte != at(r + 1, 0); ++byte)
      if (*byte != std::byte(poison_byte))
        return false;
  return true;
}

GpuProduct::GpuProduct(const TestContext &context, const GpuShape &shape, int64_t m, int64_t padding,
                       ElementType output, int device)
    : shape(shape), bytes(gpuBundle(shape)), bundle(openBundle(bytes)),
      x(context, device, m, shape.gradient ? shape.n() : shape.k(), padding, ElementType::Bf16),
      w(context, device, shape.k(), shape.weightColumns(), padding, ElementType::Bf16),
      y(context, device, m, shape.gradient ? shape.k() : shape.n(), padding, output), output(output),
      args(algrt_forward_args_init()) {
  x.fill(1, 1);
  w.fill(2, 1 / std::sqrt(double(shape.k())));
  args.x = &x.tensor;
  args.w = &w.tensor;
  args.y = &y.tensor;
}

int GpuProduct::run() const {
  if (!shape.gradient)
    return algrt_forward(bundle.get(), &args);
  algrt_dx_args dx = algrt_dx_args_init();
  dx.dy = args.x;
  dx.dx = args.y;
  dx.w = args.w;
  dx.p0 = args.p0;
  dx.types = args.types;
  dx.positions = args.positions;
  dx.sequence_starts = args.sequence_starts;
  dx.sequence_positions = args.sequence_positions;
  dx.workspace = args.workspace;
  dx.workspace_bytes = args.workspace_bytes;
  dx.stream = args.stream;
  dx.kernel = args.kernel;
  dx.dependent_launch = args.dependent_launch;
  return algrt_dx(bundle.get(), &dx);
}

void GpuProduct::expectCorrect(const std::string &what) const {
  const Bundle parsed = Bundle::parse(bytes);
  const std::vector<float> x_values = x.values(), w_values = w.values();
  const std::vector<double> expected =
      shape.gradient ? referenceDx({&parsed.layer(), &parsed.support(), x.shape[0], x_values.data(),
                                    shape.n(), w_values.data(), shape.weightColumns(), args.p0})
                     : referenceForward({&parsed.layer(), &parsed.support(), x.shape[0], x_values.data(),
                                         shape.k(), w_values.data(), shape.weightColumns(), args.p0});
  const Comparison comparison = compare(y.values(), expected);
  EXPECT_TRUE(comparison.within(tolerance(output == ElementType::Bf16)))
      << what << ": " << comparison.relative_l2 << ", " << comparison.kind_mismatches << " of another kind";
  EXPECT_TRUE(y.paddingIsPoison()) << what;
}

void GpuProduct::expectRuns(const std::string &what) {
  y.poison();
  ASSERT_EQ(run(), ALGRT_OK) << what << ": " << algrt_last_error();
  expectCorrect(what);
}

} // namespace algrt::test
