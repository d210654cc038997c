// algrt_dx on CUDA devices, against the stand-in driver: what is launched computes the gradient.
#include "tests/runtime/cuda/gpu_product.h"
#include "tests/runtime/cuda/host_kernel.h"

#include <gtest/gtest.h>
#include <random>

namespace algrt::test {
namespace {

class CudaDx : public testing::Test {
protected:
  CudaDx() {
    useStandIn();
    cuda_stand_in::reset({{}, {}});
  }
  ~CudaDx() override {
    EXPECT_EQ(cuda_stand_in::violations(), std::vector<std::string>());
    EXPECT_EQ(cuda_stand_in::leaks(), std::vector<std::string>());
  }

  void computes(const GpuShape &shape) {
    cuda_stand_in::onLaunch([this, shape](const cuda_stand_in::Launch &launch) {
      last = launch;
      runHostKernel(shape, launch);
    });
  }

  cuda_stand_in::Launch last;
};

// Every lift, schedule of types and kind of terms, through maps of either kind, ordered or not.
TEST_F(CudaDx, AgreesWithTheReference) {
  std::mt19937_64 random(5);
  const auto up_to = [&](int64_t most) { return int64_t(random() % uint64_t(most + 1)); };
  for (int trial = 0; trial < 160; ++trial) {
    GpuShape shape;
    shape.gradient = true;
    shape.groups = 1 + up_to(5);
    shape.vector = trial % 2 == 0 ? 0 : int64_t(1) << up_to(3);
    const int64_t unit = shape.vector == 0 ? 8 : shape.vector;
    shape.in = unit * (1 + up_to(40 / unit));
    shape.out = unit * (1 + up_to(40 / unit));
    if (trial % 3 == 1)
      shape.row_types = RowTypesKind::Interval, shape.run = 1 + up_to(20);
    if (trial % 3 == 2)
      shape.lift = Lift::Slots;
    shape.table = trial % 5 < 3;
    shape.scaled = shape.vector > 0 && trial % 7 < 3 && (shape.table || shape.lift == Lift::Slots);
    shape.longest_first = up_to(shape.groups);
    computes(shape);
    const TestContext context(0);
    const ElementType output = trial % 4 < 2 ? ElementType::Bf16 : ElementType::F32;
    GpuProduct product(context, shape, 1 + up_to(60), unit * up_to(2), output);
    product.args.p0 = up_to(1000);
    product.expectRuns("trial " + std::to_string(trial));
    EXPECT_EQ(last.symbol, output == ElementType::Bf16 ? "dx_bf16" : "dx_f32");
    if (HasFailure())
      return;
  }
}

TEST_F(CudaDx, OneMapsKernelsAreNotAnothers) {
  const GpuShape forward, gradient{.gradient = true};
  const TestContext context(0);
  computes(gradient);
  // A bundle for products alone, asked for the gradient, and the other way round.
  GpuProduct product(context, forward, 7), of_gradient(context, gradient, 7);
  algrt_dx_args dx = algrt_dx_args_init();
  dx.dy = &of_gradient.x.tensor;
  dx.dx = &of_gradient.y.tensor;
  dx.w = &of_gradient.w.tensor;
  EXPECT_EQ(algrt_dx(product.bundle.get(), &dx), ALGRT_UNSUPPORTED);
  EXPECT_NE(
      std::string(algrt_last_error()).find("dy: is on a CUDA device, but the bundle has no kernel of dx"),
      std::string::npos)
      << algrt_last_error();
  EXPECT_EQ(algrt_forward(of_gradient.bundle.get(), &product.args), ALGRT_UNSUPPORTED);

  // In one bundle each is found for its own call, and refused by number for the other.
  nlohmann::ordered_json manifest = gpuManifest(forward);
  const nlohmann::ordered_json of_dx = gpuManifest(gradient);
  for (const nlohmann::ordered_json &kernel : of_dx["kernels"]) {
    manifest["kernels"].push_back(kernel);
    manifest["kernels"].back()["images"][0]["section"] = "of-dx";
  }
  const std::string bytes = gpuBundle(
      forward, manifest,
      std::vector<SectionContent>{{"ptx", "ptx", gpuPtx(forward)}, {"of-dx", "ptx", gpuPtx(gradient)}});
  const BundleHandle both = openBundle(bytes);
  ASSERT_EQ(algrt_dx(both.get(), &dx), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(last.symbol, "dx_bf16");
  of_gradient.expectCorrect("the gradient of a bundle with both");
  dx.kernel = 1;
  EXPECT_EQ(algrt_dx(both.get(), &dx), ALGRT_INVALID_ARGUMENT);
  EXPECT_STREQ(algrt_last_error(), "kernel forward-bf16 computes forward, not dx");
  dx.kernel = 3;
  EXPECT_EQ(algrt_dx(both.get(), &dx), ALGRT_OK) << algrt_last_error();
}

TEST_F(CudaDx, WhatIsWrongIsSaidOfItsOperand) {
  const GpuShape shape{.gradient = true};
  const TestContext context(0);
  computes(shape);
  GpuProduct product(context, shape, 7);
  const auto refused = [&](const char *words) {
    EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT) << words;
    EXPECT_NE(std::string(algrt_last_error()).find(words), std::string::npos) << algrt_last_error();
  };
  const DLTensor dy = product.x.tensor, dx = product.y.tensor;
  product.x.tensor.byte_offset = 2;
  refused("dy: starts at an address that is not a multiple of 16 bytes");
  product.x.tensor = dy;
  product.y.tensor.byte_offset = 2;
  refused("dx: starts at an address that is not a multiple of 16 bytes");
  product.y.tensor = dx;
  product.args.x = &product.y.tensor;
  refused("dy: has shape");
  product.args.x = &product.x.tensor;
  product.args.y = &product.x.tensor;
  refused("dx: has shape");
  product.args.y = &product.y.tensor;
  product.args.p0 = -1;
  refused("p0");
  product.args.p0 = 0;
  product.args.dependent_launch = 1;
  EXPECT_EQ(product.run(), ALGRT_UNSUPPORTED) << "this kernel does not wait";
  product.args.dependent_launch = 0;
  product.expectRuns("nothing is wrong");
}

} // namespace
} // namespace algrt::test
