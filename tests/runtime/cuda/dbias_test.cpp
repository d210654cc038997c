// The gradient of a bias on CUDA devices, against the stand-in driver: what is launched behind the gradient
// of the weight matrix, and with what.
#include "runtime/bundle/bundle.h"
#include "runtime/cuda/bias_gradient_plan.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/compare.h"
#include "runtime/reference/reference.h"
#include "tests/runtime/cuda/gpu_product.h"
#include "tests/runtime/cuda/host_bias_gradient.h"
#include "tests/runtime/cuda/host_weight_kernel.h"
#include "tests/runtime/cuda_stand_in/control.h"

#include <cstring>
#include <gtest/gtest.h>

namespace algrt::test {
namespace {

constexpr int64_t part = cuda::bias_gradient_part_rows;

GpuShape biasedShape() {
  GpuShape shape;
  shape.groups = 3;
  shape.out = 32; // more columns than a block sums
  shape.weight_gradient = true;
  shape.bias = true;
  shape.vector = 8;
  return shape;
}

nlohmann::ordered_json biasedManifest(const GpuShape &shape) {
  nlohmann::ordered_json manifest = gpuManifest(shape);
  manifest["kernels"].push_back(biasGradientEntry("sums"));
  return manifest;
}

std::string biasedBundle(const GpuShape &shape, const nlohmann::ordered_json &manifest) {
  return gpuBundle(shape, manifest, {{"ptx", "ptx", gpuPtx(shape)}, {"sums", "ptx", biasGradientPtx()}});
}

class CudaDbias : public testing::Test {
protected:
  CudaDbias() {
    useStandIn();
    cuda_stand_in::reset({{}});
    cuda_stand_in::onLaunch([this](const cuda_stand_in::Launch &launch) {
      launches.push_back(launch);
      if (launch.symbol == "dbias")
        Sums(launch).run();
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
      : driver(context.driver()), bundle(openBundle(biasedBundle(shape, biasedManifest(shape)))),
        x(context, 0, m, shape.k(), 0, ElementType::Bf16), dy(context, 0, m, shape.n(), 8, ElementType::Bf16),
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
    EXPECT_EQ(algrt_workspace_size(bundle.get(), m, 1, &bytes), ALGRT_OK) << algrt_last_error();
    driver.check(driver.memAlloc(&memory, bytes + 2), "workspace of a test");
    args.workspace = bytes > 0 ? reinterpret_cast<void *>(memory + 1) : nullptr; // it may begin anywhere
    args.workspace_bytes = bytes;
  }
  ~Gradient() { EXPECT_EQ(driver.memFree(memory), cuda::Result::Success); }

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

  const cuda::Driver &driver;
  BundleHandle bundle;
  GpuMatrix x, dy, dw, dbias;
  int64_t n = 0;
  DLTensor dbias_tensor;
  algrt_dw_args args;
  size_t bytes = 0;
  cuda::DevicePointer memory = 0;
};

// One launch up to as many rows as a part has, two for more; written and added.
TEST_F(CudaDbias, ComesBehindTheGradientOfTheWeights) {
  const TestContext context(0);
  cuda::Stream stream;
  ASSERT_EQ(context.driver().streamCreate(&stream, cuda::stream_default), cuda::Result::Success);
  for (const int64_t m : {int64_t(0), int64_t(9), part, part + 1, 3 * part})
    for (const ElementType output : {ElementType::Bf16, ElementType::F32}) {
      Gradient gradient(context, shape, m, output);
      gradient.args.stream = stream;
      const int64_t parts = std::max<int64_t>(1, (m + part - 1) / part);
      EXPECT_EQ(gradient.bytes, parts == 1 ? 0u : size_t(8 * parts * shape.n() + 7));
      for (const float beta : {0.0f, -0.5f}) {
        gradient.args.beta = beta;
        gradient.dw.fill(3, 1);
        if (beta != 0 && output == ElementType::Bf16)
          gradient.dbias.fill(4, 1);
        const std::vector<double> expected = gradient.expected();
        launches.clear();
        ASSERT_EQ(gradient.run(), ALGRT_OK) << algrt_last_error();
        ASSERT_EQ(launches.size(), parts == 1 ? 2u : 3u);
        EXPECT_EQ(launches[0].symbol, "dw_bf16");
        for (size_t i = 1; i < launches.size(); ++i) {
          EXPECT_EQ(launches[i].symbol, "dbias");
          EXPECT_EQ(launches[i].stream, stream);
          EXPECT_EQ(launches[i].threads, unsigned(threads_of_sums));
          EXPECT_EQ(launches[i].shared_bytes, unsigned(8 * threads_of_sums));
          EXPECT_EQ(launches[i].cluster, 1u);
          EXPECT_FALSE(launches[i].programmatic);
        }
        const Sums first(launches[1]), last(launches.back());
        const unsigned column_blocks = 2; // 96 columns
        EXPECT_EQ(launches[1].grid, column_blocks * unsigned(parts));
        if (m > 0) {
          EXPECT_EQ(first.from, reinterpret_cast<uint64_t>(gradient.dy.tensor.data));
          EXPECT_EQ(first.leading, shape.n() + 8);
        }
        EXPECT_EQ(first.rows, m);
        EXPECT_EQ(first.part_rows, part);
        EXPECT_EQ(last.to, reinterpret_cast<uint64_t>(gradient.dbias.tensor.data));
        EXPECT_EQ(last.beta, beta);
        EXPECT_EQ(last.form & algrt_dbias_to_f32, output == ElementType::F32 ? algrt_dbias_to_f32 : 0);
        if (parts > 1) {
          EXPECT_EQ(first.form, algrt_dbias_to_sums);
          EXPECT_EQ(first.to, last.from);
          EXPECT_EQ(first.to % 8, 0u);
          EXPECT_GE(first.to, reinterpret_cast<uint64_t>(gradient.args.workspace));
          EXPECT_LE(first.to + size_t(8 * parts * shape.n()),
                    reinterpret_cast<uint64_t>(gradient.args.workspace) + gradient.bytes);
          EXPECT_EQ(last.form & algrt_dbias_from_sums, algrt_dbias_from_sums);
          EXPECT_EQ(last.rows, parts);
          EXPECT_EQ(last.part_rows, parts);
          EXPECT_EQ(last.leading, shape.n());
          EXPECT_EQ(launches[2].grid, column_blocks);
        }
        const Comparison comparison = compare(gradient.dbias.values(), expected);
        EXPECT_TRUE(comparison.within(tolerance(output == ElementType::Bf16))) << comparison.relative_l2;
        EXPECT_TRUE(gradient.dbias.paddingIsPoison());
      }
    }
  context.driver().streamDestroy(stream);
}

TEST_F(CudaDbias, WithoutItNothingIsAsked) {
  const TestContext context(0);
  Gradient gradient(context, shape, 3 * part, ElementType::F32);
  gradient.args.dbias = nullptr;
  gradient.args.workspace = nullptr;
  gradient.args.workspace_bytes = 0;
  ASSERT_EQ(gradient.run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(launches.size(), 1u);
}

TEST_F(CudaDbias, WhatIsWrongIsSaidBeforeAnythingIsLaunched) {
  const TestContext context(0);
  Gradient gradient(context, shape, part + 1, ElementType::F32);
  const auto refused = [&](int status, const std::string &words) {
    EXPECT_EQ(gradient.run(), status) << words;
    EXPECT_NE(std::string(algrt_last_error()).find(words), std::string::npos) << algrt_last_error();
    EXPECT_EQ(launches.size(), 0u) << words;
  };
  const std::string needed = "sums of dbias need " + std::to_string(gradient.bytes) + " bytes";
  gradient.args.workspace_bytes = gradient.bytes - 1;
  refused(ALGRT_WORKSPACE_TOO_SMALL, needed);
  void *workspace = std::exchange(gradient.args.workspace, nullptr);
  refused(ALGRT_WORKSPACE_TOO_SMALL, "workspace is null: " + needed);
  gradient.args.workspace = workspace;
  gradient.args.workspace_bytes = gradient.bytes;

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
  gradient.bundle = openBundle(gpuBundle(shape));
  refused(ALGRT_UNSUPPORTED, "dbias: the bundle has no kernel that computes it on device 0");
}

// The list of rows and the partial sums have the same place: the one is read before the other is written.
TEST_F(CudaDbias, SharesTheWorkspaceWithTheRowList) {
  const GpuShape listed = [&] {
    GpuShape made = shape;
    made.row_types = RowTypesKind::ExplicitTypes;
    return made;
  }();
  nlohmann::ordered_json manifest = biasedManifest(listed);
  for (size_t i = 0; i < 2; ++i)
    manifest["kernels"][i]["rows"] = "listed";
  manifest["kernels"].push_back({{"name", "group_rows"},
                                 {"map", "group_rows"},
                                 {"target", "sm_80"},
                                 {"symbol", "group_rows"},
                                 {"threads", 256},
                                 {"images", {{{"kind", "ptx"}, {"section", "ptx"}}}}});
  const BundleHandle bundle = openBundle(biasedBundle(listed, manifest));
  const auto list = [&](int64_t m) { return size_t(4 * (listed.types() + 2 + m) + 3); };
  for (const int64_t m : {int64_t(0), part, part + 1, int64_t(100) * part}) {
    size_t bytes = 0;
    ASSERT_EQ(algrt_workspace_size(bundle.get(), m, 1, &bytes), ALGRT_OK);
    const size_t parts = size_t((m + part - 1) / part);
    EXPECT_EQ(bytes, std::max(list(m), parts > 1 ? 8 * parts * size_t(listed.n()) + 7 : 0));
  }
}

// A call that needs a kernel which is not there yet leaves a capture as it is.
TEST_F(CudaDbias, IsCapturedOncePrepared) {
  const TestContext context(0);
  const cuda::Driver &driver = context.driver();
  Gradient gradient(context, shape, part + 5, ElementType::F32);
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
  EXPECT_NE(std::string(algrt_last_error()).find("kernel dbias is not yet"), std::string::npos)
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
    EXPECT_EQ(launches.size(), 3 * replay);
    EXPECT_TRUE(compare(gradient.dbias.values(), gradient.expected()).within(tolerance(false)));
  }
  driver.graphExecDestroy(exec);
  driver.graphDestroy(graph);
  driver.streamDestroy(stream);
}

TEST(CudaDbiasManifest, IsChecked) {
  const GpuShape shape = biasedShape();
  const auto refused = [&](const char *key, const nlohmann::ordered_json &value, const char *words) {
    nlohmann::ordered_json manifest = biasedManifest(shape);
    manifest["kernels"][2][key] = value;
    try {
      Bundle::parse(biasedBundle(shape, manifest));
      ADD_FAILURE() << "accepted: " << words;
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused("threads", 96, "not a multiple of the 64 columns");
  refused("threads", 2048, "threads");
  refused("symbol", "", "symbol");
  refused("images", {{{"kind", "ptx"}, {"section", "nowhere"}}}, "nowhere");
  nlohmann::ordered_json manifest = biasedManifest(shape);
  manifest["kernels"][2]["target"] = "sm_999"; // of a later version: kept, and not looked at
  EXPECT_FALSE(Bundle::parse(biasedBundle(shape, manifest)).manifest().kernels[2].bias_gradient);
}

// Rows and columns of any size, without a driver.
TEST(CudaDbiasPlan, OfManyRowsAndColumns) {
  constexpr int64_t rows = algrt_most_gpu_rows, columns = int64_t(1) << 20;
  const auto launches =
      cuda::planBiasGradient({4096, columns + 3, rows, columns, 8192, ElementType::F32, 2, 16384});
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].grid, 0x7fffffffu); // blocks take several parts each
  EXPECT_EQ(launches[0].rows, rows);
  EXPECT_EQ(launches[0].leading, columns + 3);
  EXPECT_EQ(launches[1].rows, (rows + part - 1) / part);
  EXPECT_EQ(launches[1].grid, uint32_t(columns / algrt_dbias_columns));
  EXPECT_EQ(cuda::biasGradientBytes(columns, rows), (rows + part - 1) / part * columns * 8 + 7);
}

} // namespace
} // namespace algrt::test
