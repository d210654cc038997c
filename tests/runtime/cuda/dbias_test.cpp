// The gradient of a bias on CUDA devices, against the stand-in driver: what is launched behind the gradient
// of the weight matrix, and with what.
#include "runtime/bundle/bundle.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/compare.h"
#include "runtime/reference/reference.h"
#include "tests/runtime/cuda/gpu_product.h"
#include "tests/runtime/cuda/host_column_sums.h"
#include "tests/runtime/cuda/host_weight_kernel.h"
#include "tests/runtime/cuda_stand_in/control.h"

#include <cstring>
#include <gtest/gtest.h>

namespace algrt::test {
namespace {

GpuShape biasedShape() {
  GpuShape shape;
  shape.groups = 3;
  shape.out = 32; // with the three groups more columns than a block sums
  shape.weight_gradient = true;
  shape.bias = true;
  shape.vector = 8;
  return shape;
}

std::string biasedBundle(const GpuShape &shape) {
  nlohmann::ordered_json manifest = gpuManifest(shape);
  std::vector<SectionContent> sections = {{"ptx", "ptx", gpuPtx(shape)}};
  for (const ElementType output : {ElementType::F32, ElementType::Bf16}) {
    manifest["elementwise"].push_back(elementwiseJson(columnSums(shape.n(), output)));
    sections.push_back({dbiasFunction(output), "ptx", columnSumsPtx(output)});
  }
  return gpuBundle(shape, manifest, sections);
}

class CudaDbias : public testing::Test {
protected:
  CudaDbias() {
    useStandIn();
    cuda_stand_in::reset({{}});
    cuda_stand_in::onLaunch([this](const cuda_stand_in::Launch &launch) {
      launches.push_back(launch);
      if (launch.symbol.starts_with("dbias"))
        ColumnSums(launch).run();
      else
        runHostWeightKernel(shape, launch);
    });
  }
  ~CudaDbias() override {
    EXPECT_EQ(cuda_stand_in::violations(), std::vector<std::string>());
    EXPECT_EQ(cuda_stand_in::leaks(), std::vector<std::string>());
  }

  GpuShape shape = biasedShape();
  std::vector<cuda_stand_in::Launch> launches;
};

// Operands of one call, correct until a test spoils them.
struct Gradient {
  Gradient(const TestContext &context, const GpuShape &shape, int64_t m, ElementType output)
      : bundle(openBundle(biasedBundle(shape))), x(context, 0, m, shape.k(), 0, ElementType::Bf16),
        dy(context, 0, m, shape.n(), 8, ElementType::Bf16),
        dw(context, 0, shape.k(), shape.weightColumns(), 0, ElementType::Bf16),
        dbias(context, 0, 1, shape.n(), 5, output), args(algrt_dw_args_init()) {
    x.fill(1, 1);
    dy.fill(2, 1);
    dbias_tensor = dbias.tensor;
    dbias_tensor.ndim = 1;
    dbias_tensor.shape = &n;
    dbias_tensor.strides = nullptr;
    n = shape.n();
    args.x = &x.tensor;
    args.dy = &dy.tensor;
    args.dw = &dw.tensor;
    args.dbias = &dbias_tensor;
    size_t bytes = 0;
    EXPECT_EQ(algrt_workspace_size(bundle.get(), m, 1, &bytes), ALGRT_OK) << algrt_last_error();
    EXPECT_EQ(bytes, 0u);
  }

  int run() { return algrt_dw(bundle.get(), &args); }

  // Sums of columns in double precision, with what dbias held.
  std::vector<double> expected() const {
    std::vector<double> sums(static_cast<size_t>(n));
    const std::vector<float> rows = dy.values(), held = dbias.values();
    for (size_t i = 0; i < rows.size(); ++i)
      sums[i % size_t(n)] += double(rows[i]);
    for (size_t i = 0; args.beta != 0 && i < sums.size(); ++i)
      sums[i] += double(args.beta) * double(held[i]);
    return sums;
  }

  BundleHandle bundle;
  GpuMatrix x, dy, dw, dbias;
  int64_t n = 0;
  DLTensor dbias_tensor;
  algrt_dw_args args;
};

TEST_F(CudaDbias, ComesBehindTheGradientOfTheWeights) {
  const TestContext context(0);
  cuda::Stream stream;
  ASSERT_EQ(context.driver().streamCreate(&stream, cuda::stream_default), cuda::Result::Success);
  for (const int64_t m : {0, 9, 700})
    for (const ElementType output : {ElementType::Bf16, ElementType::F32}) {
      Gradient gradient(context, shape, m, output);
      gradient.args.stream = stream;
      for (const float beta : {0.0f, -0.5f}) {
        gradient.args.beta = beta;
        gradient.dw.fill(3, 1);
        if (beta != 0 && output == ElementType::Bf16)
          gradient.dbias.fill(4, 1);
        const std::vector<double> expected = gradient.expected();
        launches.clear();
        ASSERT_EQ(gradient.run(), ALGRT_OK) << algrt_last_error();
        ASSERT_EQ(launches.size(), 2u);
        EXPECT_EQ(launches[0].symbol, "dw_bf16");
        EXPECT_EQ(launches[1].symbol, dbiasFunction(output));
        EXPECT_EQ(launches[1].stream, stream);
        EXPECT_EQ(launches[1].threads, unsigned(threads_of_sums));
        EXPECT_EQ(launches[1].shared_bytes, unsigned(8 * threads_of_sums));
        EXPECT_EQ(launches[1].cluster, 1u);
        EXPECT_FALSE(launches[1].programmatic);
        const ColumnSums sums(launches[1]);
        EXPECT_EQ(launches[1].grid, 3u); // 96 columns
        if (m > 0) {
          EXPECT_EQ(sums.from, reinterpret_cast<uint64_t>(gradient.dy.tensor.data));
          EXPECT_EQ(sums.leading, shape.n() + 8);
        }
        EXPECT_EQ(sums.rows, m);
        EXPECT_EQ(sums.columns, shape.n());
        EXPECT_EQ(sums.to, reinterpret_cast<uint64_t>(gradient.dbias.tensor.data));
        EXPECT_EQ(sums.factor, 0u); // the number goes with the launch
        EXPECT_EQ(sums.beta, beta);
        const Comparison comparison = compare(gradient.dbias.values(), expected);
        EXPECT_TRUE(comparison.within(tolerance(output == ElementType::Bf16))) << comparison.relative_l2;
        EXPECT_TRUE(gradient.dbias.paddingIsPoison());
      }
    }
  context.driver().streamDestroy(stream);
}

TEST_F(CudaDbias, WithoutItNothingIsAsked) {
  const TestContext context(0);
  Gradient gradient(context, shape, 50, ElementType::F32);
  gradient.args.dbias = nullptr;
  ASSERT_EQ(gradient.run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(launches.size(), 1u);
}

TEST_F(CudaDbias, WhatIsWrongIsSaidBeforeAnythingIsLaunched) {
  const TestContext context(0);
  Gradient gradient(context, shape, 50, ElementType::F32);
  const auto refused = [&](int status, const std::string &words) {
    EXPECT_EQ(gradient.run(), status) << words;
    EXPECT_NE(std::string(algrt_last_error()).find(words), std::string::npos) << algrt_last_error();
    EXPECT_EQ(launches.size(), 0u) << words;
  };
  const DLTensor right = gradient.dbias_tensor;
  gradient.n = shape.n() - 1;
  refused(ALGRT_INVALID_ARGUMENT, "dbias: has");
  gradient.n = shape.n();
  gradient.dbias_tensor.device = {kDLCPU, 0};
  refused(ALGRT_INVALID_ARGUMENT, "dbias: ");
  gradient.dbias_tensor = right;
  gradient.dbias_tensor.dtype = {kDLInt, 32, 1};
  refused(ALGRT_INVALID_ARGUMENT, "dbias: ");
  gradient.dbias_tensor = right;
  for (auto [matrix, words] : {std::pair{&gradient.dw, "dw"}, {&gradient.dy, "dy"}, {&gradient.x, "x"}}) {
    gradient.dbias_tensor = matrix->tensor;
    gradient.dbias_tensor.ndim = 1;
    gradient.dbias_tensor.shape = &gradient.n;
    gradient.dbias_tensor.strides = nullptr;
    refused(ALGRT_INVALID_ARGUMENT, words);
  }
  gradient.dbias_tensor = right;
  gradient.bundle = openBundle(gpuBundle(shape)); // as an older compiler wrote it
  refused(ALGRT_UNSUPPORTED,
          "dbias: the bundle has no function dbias_f32, which computes it: compile the bundle");
  GpuShape without = shape;
  without.bias = false;
  gradient.bundle = openBundle(gpuBundle(without));
  refused(ALGRT_INVALID_ARGUMENT, "dbias is given, but the layer of the bundle has no bias");
}

// A call that needs a kernel which is not there yet leaves a capture as it is.
TEST_F(CudaDbias, IsCapturedOncePrepared) {
  const TestContext context(0);
  const cuda::Driver &driver = context.driver();
  Gradient gradient(context, shape, 300, ElementType::F32);
  gradient.args.dbias = nullptr;
  ASSERT_EQ(gradient.run(), ALGRT_OK) << algrt_last_error(); // loads the gradient of the weight matrix alone
  cuda::Stream stream;
  cuda::Graph graph;
  ASSERT_EQ(driver.streamCreate(&stream, cuda::stream_default), cuda::Result::Success);
  gradient.args.stream = stream;
  gradient.args.dbias = &gradient.dbias_tensor;
  launches.clear();
  ASSERT_EQ(driver.streamBeginCapture(stream, cuda::CaptureMode::Global), cuda::Result::Success);
  EXPECT_EQ(gradient.run(), ALGRT_NOT_PREPARED);
  EXPECT_NE(std::string(algrt_last_error()).find("function dbias_f32 is not yet"), std::string::npos)
      << algrt_last_error();
  ASSERT_EQ(driver.streamEndCapture(stream, &graph), cuda::Result::Success);
  driver.graphDestroy(graph);
  ASSERT_EQ(algrt_bundle_prepare(gradient.bundle.get(), 0), ALGRT_OK) << algrt_last_error();
  ASSERT_EQ(driver.streamBeginCapture(stream, cuda::CaptureMode::Global), cuda::Result::Success);
  EXPECT_EQ(gradient.run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(launches.size(), 0u);
  ASSERT_EQ(driver.streamEndCapture(stream, &graph), cuda::Result::Success);
  cuda::GraphExec exec;
  ASSERT_EQ(driver.graphInstantiate(&exec, graph, 0), cuda::Result::Success);
  for (uint64_t replay = 1; replay <= 2; ++replay) {
    gradient.dy.fill(replay + 10, 1);
    ASSERT_EQ(driver.graphLaunch(exec, stream), cuda::Result::Success);
    EXPECT_EQ(launches.size(), 2 * replay);
    EXPECT_TRUE(compare(gradient.dbias.values(), gradient.expected()).within(tolerance(false)));
  }
  driver.graphExecDestroy(exec);
  driver.graphDestroy(graph);
  driver.streamDestroy(stream);
}

} // namespace
} // namespace algrt::test
