// algrt_dw on CUDA devices, against the stand-in driver: what is launched computes the gradient of the weight
// matrix.
#include "runtime/bundle/bundle.h"
#include "runtime/reference/compare.h"
#include "runtime/reference/reference.h"
#include "tests/runtime/cuda/gpu_product.h"
#include "tests/runtime/cuda/host_weight_kernel.h"

#include <gtest/gtest.h>
#include <random>

namespace algrt::test {
namespace {

class CudaDw : public testing::Test {
protected:
  CudaDw() {
    useStandIn();
    cuda_stand_in::reset({{}, {}});
  }
  ~CudaDw() override {
    EXPECT_EQ(cuda_stand_in::violations(), std::vector<std::string>());
    EXPECT_EQ(cuda_stand_in::leaks(), std::vector<std::string>());
  }

  void computes(const GpuShape &shape) {
    cuda_stand_in::onLaunch([this, shape](const cuda_stand_in::Launch &launch) {
      last = launch;
      ++launches;
      runHostWeightKernel(shape, launch);
    });
  }

  cuda_stand_in::Launch last;
  int launches = 0;
};

GpuShape weightShape() {
  GpuShape shape;
  shape.weight_gradient = true;
  shape.vector = 8;
  return shape;
}

// X, dY and dW with a bundle for them.
struct Gradient {
  Gradient(const TestContext &context, const GpuShape &shape, int64_t m, int64_t padding = 0,
           ElementType output = ElementType::Bf16)
      : shape(shape), bytes(gpuBundle(shape)), bundle(openBundle(bytes)),
        x(context, 0, m, shape.k(), padding, ElementType::Bf16),
        dy(context, 0, m, shape.n(), padding, ElementType::Bf16),
        dw(context, 0, shape.k(), shape.weightColumns(), padding, output), output(output),
        args(algrt_dw_args_init()) {
    x.fill(1, 1);
    dy.fill(2, 1);
    dw.poison();
    args.x = &x.tensor;
    args.dy = &dy.tensor;
    args.dw = &dw.tensor;
  }

  void expectRuns(const std::string &what) {
    const std::vector<float> before = dw.values();
    ASSERT_EQ(algrt_dw(bundle.get(), &args), ALGRT_OK) << what << ": " << algrt_last_error();
    const Bundle parsed = Bundle::parse(bytes);
    const std::vector<float> x_values = x.values(), dy_values = dy.values();
    std::vector<double> expected =
        referenceDw({&parsed.layer(), &parsed.support(), x.shape[0], x_values.data(), shape.k(),
                     dy_values.data(), shape.n(), args.p0});
    for (size_t i = 0; args.beta != 0 && i < expected.size(); ++i)
      expected[i] += double(args.beta) * double(before[i]);
    const Comparison comparison = compare(dw.values(), expected);
    EXPECT_TRUE(comparison.within(tolerance(output == ElementType::Bf16)))
        << what << ": " << comparison.relative_l2 << ", " << comparison.kind_mismatches << " of another kind";
    EXPECT_TRUE(dw.paddingIsPoison()) << what;
  }

  GpuShape shape;
  std::string bytes;
  BundleHandle bundle;
  GpuMatrix x, dy, dw;
  ElementType output;
  algrt_dw_args args;
};

// Every lift, schedule of types and kind of terms, ordered or not, written and added.
TEST_F(CudaDw, AgreesWithTheReference) {
  std::mt19937_64 random(5);
  const auto up_to = [&](int64_t most) { return int64_t(random() % uint64_t(most + 1)); };
  for (int trial = 0; trial < 120; ++trial) {
    GpuShape shape;
    shape.weight_gradient = true;
    shape.groups = 1 + up_to(4);
    // Of every fifth kernel the copy engine moves blocks.
    shape.vector = trial % 5 == 4 ? 0 : int64_t(1) << up_to(3);
    const int64_t unit = shape.vector ? shape.vector : 8;
    shape.in = unit * (1 + up_to(24 / unit));
    shape.out = unit * (1 + up_to(40 / unit));
    if (trial % 3 == 1)
      shape.row_types = RowTypesKind::Interval, shape.run = 1 + up_to(20);
    if (trial % 3 == 2)
      shape.lift = Lift::Slots;
    shape.table = trial % 5 < 3;
    shape.scaled = shape.vector > 0 && trial % 7 < 3 && (shape.table || shape.lift == Lift::Slots);
    shape.longest_first = shape.lift == Lift::Slots ? 0 : up_to(shape.groups);
    computes(shape);
    const TestContext context(0);
    const ElementType output = trial % 4 < 2 ? ElementType::Bf16 : ElementType::F32;
    Gradient gradient(context, shape, 1 + up_to(60), unit * up_to(2), output);
    gradient.args.p0 = up_to(1000);
    gradient.expectRuns("trial " + std::to_string(trial));
    EXPECT_EQ(last.symbol, output == ElementType::Bf16 ? "dw_bf16" : "dw_f32");
    gradient.args.beta = trial % 2 ? 1.0f : -0.5f;
    gradient.expectRuns("added, trial " + std::to_string(trial));
    if (HasFailure())
      return;
  }
}

// All of dW is written, though there are no rows. The copy engine has maps all the same.
TEST_F(CudaDw, WithoutRowsIsZeroOrWhatItWas) {
  for (const int64_t vector : {8, 0}) {
    GpuShape shape = weightShape();
    shape.vector = vector;
    const TestContext context(0);
    computes(shape);
    Gradient gradient(context, shape, 0, 8, ElementType::F32);
    launches = 0;
    gradient.expectRuns("zero");
    EXPECT_EQ(launches, 1);
    const std::vector<float> zeros(size_t(shape.k() * shape.weightColumns()));
    EXPECT_EQ(gradient.dw.values(), zeros);
    gradient.args.beta = 1;
    gradient.expectRuns("what it was");
  }
}

// The copy engine wants multiples of 16 bytes of all three, also where beta has threads write dW.
TEST_F(CudaDw, WhereTheEngineCopiesMatricesLieAtItsMultiples) {
  GpuShape shape = weightShape();
  shape.vector = 0;
  const TestContext context(0);
  computes(shape);
  Gradient gradient(context, shape, 7, 8);
  gradient.dw.tensor.byte_offset = 16;
  ASSERT_EQ(algrt_dw(gradient.bundle.get(), &gradient.args), ALGRT_OK) << algrt_last_error();
  const auto refused = [&](DLTensor &tensor, uint64_t offset, const char *words) {
    const uint64_t before = std::exchange(tensor.byte_offset, offset);
    EXPECT_EQ(algrt_dw(gradient.bundle.get(), &gradient.args), ALGRT_INVALID_ARGUMENT) << words;
    EXPECT_NE(std::string(algrt_last_error()).find(words), std::string::npos) << algrt_last_error();
    tensor.byte_offset = before;
  };
  for (const float beta : {0.0f, 1.0f}) {
    gradient.args.beta = beta;
    refused(gradient.dw.tensor, 8, "dw: starts at an address that is not a multiple of 16 bytes");
  }
  refused(gradient.x.tensor, 8, "x: starts at an address that is not a multiple of 16 bytes");
  refused(gradient.dy.tensor, 8, "dy: starts at an address that is not a multiple of 16 bytes");
}

TEST_F(CudaDw, WhatIsWrongIsSaidOfItsOperand) {
  const GpuShape shape = weightShape();
  const TestContext context(0);
  computes(shape);
  Gradient gradient(context, shape, 7);
  const auto refused = [&](int status, const char *words) {
    EXPECT_EQ(algrt_dw(gradient.bundle.get(), &gradient.args), status) << words;
    EXPECT_NE(std::string(algrt_last_error()).find(words), std::string::npos) << algrt_last_error();
  };
  for (auto [matrix, words] :
       {std::pair{&gradient.x, "x: starts at an address that is not a multiple of 16 bytes"},
        {&gradient.dy, "dy: starts at an address"},
        {&gradient.dw, "dw: starts at an address"}}) {
    const DLTensor tensor = matrix->tensor;
    matrix->tensor.byte_offset = 2;
    refused(ALGRT_INVALID_ARGUMENT, words);
    matrix->tensor = tensor;
  }
  gradient.args.dy = &gradient.x.tensor;
  refused(ALGRT_INVALID_ARGUMENT, "dy: has shape");
  gradient.args.dy = &gradient.dy.tensor;
  gradient.args.dw = &gradient.x.tensor;
  refused(ALGRT_INVALID_ARGUMENT, "dw: has shape");
  gradient.args.dw = &gradient.dw.tensor;
  gradient.args.kernel = 3;
  refused(ALGRT_INVALID_ARGUMENT, "kernel is 3, the bundle has 2");
  gradient.args.kernel = 0;
  gradient.expectRuns("nothing is wrong");

  // A bundle for products alone.
  Gradient of_product(context, GpuShape{}, 7);
  gradient.args.kernel = 0;
  EXPECT_EQ(algrt_dw(of_product.bundle.get(), &gradient.args), ALGRT_UNSUPPORTED);
  EXPECT_NE(std::string(algrt_last_error()).find("the bundle has no kernel of dw"), std::string::npos)
      << algrt_last_error();
}

} // namespace
} // namespace algrt::test
