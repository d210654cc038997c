// algrt_forward on CUDA devices, against the stand-in driver: what is launched computes the product.
#include "runtime/support/file.h"
#include "tests/runtime/cuda/cuda_forward.h"

#include <random>

namespace algrt::test {
namespace {

using cuda::Result;

TEST_F(CudaForward, AgreesWithTheReferenceThroughItsTensorMaps) {
  std::mt19937_64 random(3);
  const auto up_to = [&](int64_t most) { return int64_t(random() % uint64_t(most + 1)); };
  for (int trial = 0; trial < 60; ++trial) {
    GpuShape shape;
    shape.groups = 1 + up_to(4);
    shape.in = 8 * (1 + up_to(5));
    shape.out = 8 * (1 + up_to(5));
    if (trial % 3 == 1)
      shape.row_types = RowTypesKind::Interval, shape.run = 1 + up_to(20);
    if (trial % 3 == 2)
      shape.lift = Lift::Slots;
    shape.table = trial % 2 == 0;
    computes(shape);
    const TestContext context(0);
    const ElementType output = trial % 4 < 2 ? ElementType::Bf16 : ElementType::F32;
    GpuProduct product(context, shape, 1 + up_to(60), 8 * up_to(2), output);
    product.args.p0 = up_to(100);
    product.expectRuns("trial " + std::to_string(trial));
    EXPECT_EQ(last.symbol, output == ElementType::Bf16 ? "forward_bf16" : "forward_f32");
    EXPECT_EQ(last.cluster, output == ElementType::Bf16 ? 1u : 2u);
    EXPECT_EQ(last.shared_bytes, 200000u);
    if (HasFailure())
      return;
  }
}

// The last row may be at the largest position there is, whoever copies.
TEST_F(CudaForward, TheLastRowMayBeAtTheLargestPosition) {
  for (int64_t vector : {0, 8}) {
    const GpuShape shape = {.groups = 5, .in = 16, .out = 64, .vector = vector};
    computes(shape);
    const TestContext context(0);
    GpuProduct product(context, shape, 23, 8);
    product.args.p0 = INT64_MAX - 22;
    product.expectRuns("vector " + std::to_string(vector));
    ++product.args.p0;
    EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT);
    EXPECT_NE(std::string(algrt_last_error()).find("does not fit 64 bits"), std::string::npos)
        << algrt_last_error();
  }
}

// Odd widths, odd distances of rows, bases at any element, coefficients of all kinds.
TEST_F(CudaForward, AgreesWithTheReferenceThroughPlainMaps) {
  std::mt19937_64 random(11);
  const auto up_to = [&](int64_t most) { return int64_t(random() % uint64_t(most + 1)); };
  for (int trial = 0; trial < 120; ++trial) {
    GpuShape shape;
    shape.vector = int64_t(1) << up_to(3);
    shape.groups = 1 + up_to(6);
    shape.in = shape.vector * (1 + up_to(40 / shape.vector));
    shape.out = shape.vector * (1 + up_to(40 / shape.vector));
    if (trial % 3 == 1)
      shape.row_types = RowTypesKind::Interval, shape.run = 1 + up_to(20);
    if (trial % 3 == 2)
      shape.lift = Lift::Slots;
    shape.table = trial % 2 == 0;
    shape.scaled = trial % 5 < 3 && (shape.table || shape.lift == Lift::Slots);
    computes(shape);
    const TestContext context(0);
    const ElementType output = trial % 4 < 2 ? ElementType::Bf16 : ElementType::F32;
    GpuProduct product(context, shape, 1 + up_to(60), shape.vector * up_to(3), output);
    product.args.p0 = up_to(1000);
    product.expectRuns("trial " + std::to_string(trial));
    EXPECT_EQ(last.cluster, 1u);
    EXPECT_EQ(last.threads, 128u);
    EXPECT_EQ(cuda_stand_in::callCount("cuTensorMapEncodeTiled"), 0);
    if (HasFailure())
      return;
  }
}

// So many blocks as share the multiprocessors, where threads copy; otherwise one on each.
TEST_F(CudaForward, BlocksShareAMultiprocessorWhereThreadsCopy) {
  cuda_stand_in::reset({{.multiprocessors = 3}});
  const TestContext context(0);
  for (int64_t vector : {0, 8}) {
    const GpuShape shape = {.groups = 4, .in = 16, .out = 64, .vector = vector};
    computes(shape);
    GpuProduct many(context, shape, 64, 8);
    many.expectRuns("tiles for all");
    // 233472 bytes hold two blocks of 91024.
    EXPECT_EQ(last.grid, vector == 0 ? 3u : 6u);
    const GpuShape small = {.groups = 1, .in = 16, .out = 64, .vector = vector};
    computes(small);
    GpuProduct two_tiles(context, small, 5, 8);
    two_tiles.expectRuns("tiles for two");
    EXPECT_EQ(last.grid, 2u);
  }
}

// As many clusters as the driver says run at once: of 18 and 1 multiprocessors, 9 of two blocks.
TEST_F(CudaForward, ClustersAreAsManyAsRunTogether) {
  cuda_stand_in::reset({{.multiprocessors = 19}});
  const TestContext context(0);
  const GpuShape shape = {.groups = 4, .in = 16, .out = 64};
  computes(shape);
  GpuProduct many(context, shape, 300, 8, ElementType::F32);
  many.expectRuns("tiles for all");
  EXPECT_EQ(last.cluster, 2u);
  EXPECT_EQ(last.grid, 18u);
  // 4 segments of 1 or 2 rows, 4 groups, 2 blocks of columns; a cluster has two blocks of rows.
  GpuProduct few(context, {.groups = 1, .in = 16, .out = 64}, 5, 8, ElementType::F32);
  computes({.groups = 1, .in = 16, .out = 64});
  few.expectRuns("tiles for two clusters");
  EXPECT_EQ(last.grid, 4u);
}

TEST_F(CudaForward, PlainMapsRunOnDevicesWithoutTensorMaps) {
  cuda_stand_in::reset({{.capability = 86}});
  const GpuShape shape = {.groups = 3, .in = 7, .out = 5, .vector = 1};
  computes(shape);
  const TestContext context(0);
  GpuProduct product(context, shape, 11, 2);
  product.expectRuns("8.6");
  product.args.dependent_launch = 1;
  EXPECT_EQ(product.run(), ALGRT_UNSUPPORTED);
}

// Kernels by tensor maps, by plain maps of eight elements and of one, in one bundle.
std::string bundleOfVariants(const GpuShape &shape) {
  nlohmann::ordered_json manifest = gpuManifest(shape);
  std::vector<SectionContent> images = {{"ptx", "ptx", gpuPtx(shape)}};
  for (int64_t vector : {1, 8}) {
    GpuShape plain = shape;
    plain.vector = vector;
    nlohmann::ordered_json kernel = gpuManifest(plain)["kernels"][0];
    kernel["name"] = "plain-" + std::to_string(vector);
    kernel["images"] = {{{"kind", "ptx"}, {"section", kernel["name"]}}};
    manifest["kernels"].push_back(kernel);
    images.push_back({kernel["name"], "ptx", gpuPtx(plain)});
  }
  return gpuBundle(shape, manifest, images);
}

TEST_F(CudaForward, TakesTheVariantThatDeviceAndOperandsAllow) {
  const GpuShape shape = {.table = true};
  cuda_stand_in::reset({{}, {.capability = 89}});
  cuda_stand_in::onLaunch([&](const cuda_stand_in::Launch &launch) {
    GpuShape launched = shape;
    launched.vector = launch.threads == 384 ? 0 : 1; // the host kernel needs no more
    last = launch;
    runHostKernel(launched, launch);
  });
  const auto run = [&](int device, int64_t padding, const char *what) {
    const TestContext context(device);
    GpuProduct product(context, shape, 21, padding, ElementType::Bf16, device);
    product.bundle = openBundle(bundleOfVariants(shape));
    product.expectRuns(what);
    const auto loads = cuda_stand_in::callCount("cuModuleLoadDataEx");
    product.expectRuns(what);
    EXPECT_EQ(cuda_stand_in::callCount("cuModuleLoadDataEx"), loads);
    return last.threads;
  };
  EXPECT_EQ(run(0, 8, "tensor maps"), 384u);
  EXPECT_EQ(run(0, 3, "rows that no tensor map can step over"), 128u);
  EXPECT_EQ(run(1, 8, "a device without tensor maps"), 128u);
}

// A graph holds what was chosen for its call; another call may need a kernel that is not there yet.
TEST_F(CudaForward, CapturesNameTheVariantThatIsNotPrepared) {
  const GpuShape shape;
  const TestContext context(0);
  const cuda::Driver &driver = context.driver();
  GpuProduct product(context, shape, 21, 8), padded(context, shape, 21, 3);
  const BundleHandle bundle = openBundle(bundleOfVariants(shape));
  ASSERT_EQ(algrt_forward(bundle.get(), &product.args), ALGRT_OK) << algrt_last_error();
  cuda::Stream stream;
  ASSERT_EQ(driver.streamCreate(&stream, cuda::stream_default), Result::Success);
  product.args.stream = padded.args.stream = stream;
  cuda::Graph graph;
  ASSERT_EQ(driver.streamBeginCapture(stream, cuda::CaptureMode::Global), Result::Success);
  EXPECT_EQ(algrt_forward(bundle.get(), &product.args), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(algrt_forward(bundle.get(), &padded.args), ALGRT_NOT_PREPARED);
  EXPECT_NE(std::string(algrt_last_error()).find("kernel plain-1 "), std::string::npos) << algrt_last_error();
  ASSERT_EQ(driver.streamEndCapture(stream, &graph), Result::Success);
  driver.graphDestroy(graph);
  driver.streamDestroy(stream);
}

TEST_F(CudaForward, TheFirstCallPreparesAndLaterOnesOnlyLaunch) {
  computes(slots());
  const TestContext context(0);
  GpuProduct product(context, slots(), 10);
  ASSERT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
  const int before = cuda_stand_in::callCount();
  ASSERT_EQ(product.run(), ALGRT_OK);
  const std::vector<std::string> calls = cuda_stand_in::calls();
  EXPECT_EQ(std::vector<std::string>(calls.begin() + before, calls.end()),
            (std::vector<std::string>{"cuCtxPushCurrent_v2", "cuLaunchKernelEx", "cuCtxPopCurrent_v2"}));
  EXPECT_EQ(cuda_stand_in::callCount("cuModuleLoadDataEx"), 1);
}

TEST_F(CudaForward, KernelsAreChosenByOutputOrByNumber) {
  const GpuShape shape;
  computes(shape);
  const TestContext context(0);
  GpuProduct wide(context, shape, 7, 0, ElementType::F32);
  wide.args.kernel = 2;
  wide.expectRuns("f32");
  wide.args.kernel = 1;
  EXPECT_EQ(wide.run(), ALGRT_INVALID_ARGUMENT);
  EXPECT_STREQ(algrt_last_error(), "kernel forward-bf16 writes bf16, y is of type f32");
  wide.args.kernel = 3;
  EXPECT_EQ(wide.run(), ALGRT_INVALID_ARGUMENT);
  wide.args.kernel = 0;
  wide.args.dependent_launch = 1;
  wide.expectRuns("dependent");
  EXPECT_TRUE(last.programmatic);
  GpuProduct narrow(context, shape, 7);
  narrow.args.dependent_launch = 1;
  EXPECT_EQ(narrow.run(), ALGRT_UNSUPPORTED) << "this kernel does not wait";
  narrow.args.dependent_launch = 0;
  narrow.expectRuns("bf16");
  EXPECT_FALSE(last.programmatic);
  nlohmann::ordered_json manifest = gpuManifest(shape);
  manifest["kernels"].erase(1);
  wide.bundle = openBundle(gpuBundle(shape, manifest));
  wide.args.dependent_launch = 0;
  EXPECT_EQ(wide.run(), ALGRT_UNSUPPORTED);
  EXPECT_NE(std::string(algrt_last_error()).find("writes f32"), std::string::npos) << algrt_last_error();
}

TEST_F(CudaForward, NoRowsLaunchNothing) {
  const TestContext context(0);
  GpuProduct product(context, GpuShape(), 0);
  EXPECT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(launches, 0);
}

TEST_F(CudaForward, WorkspaceIsNotNeeded) {
  const TestContext context(0);
  GpuProduct product(context, GpuShape(), 3);
  size_t bytes = 1;
  ASSERT_EQ(algrt_workspace_size(product.bundle.get(), 1000, 0, &bytes), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(bytes, 0u);
}

// Also where none of them is of the forward product.
TEST_F(CudaForward, WorkspaceIsEnoughForKernelsOfTheCpu) {
  const GpuShape shape;
  nlohmann::ordered_json manifest = gpuManifest(shape);
  manifest["kernels"].push_back({{"name", "dx-copied"},
                                 {"map", "dx"},
                                 {"target", "cpu"},
                                 {"features", {"sse2"}},
                                 {"weights", "copied"},
                                 {"section", "code"},
                                 {"symbol", "forward_copied"},
                                 {"types_per_task", 1},
                                 {"rows_per_task", 1},
                                 {"scratch_bytes", 4096},
                                 {"row_lists", true}});
  const BundleHandle bundle = openBundle(gpuBundle(
      shape, manifest,
      {{"ptx", "ptx", gpuPtx(shape)},
       {"code", "shared-object", readFile(std::string(ALGRT_TEST_KERNELS) + "/kernels_cyclic_bf16.so")}}));
  size_t bytes = 0;
  ASSERT_EQ(algrt_workspace_size(bundle.get(), 1000, 1, &bytes), ALGRT_OK) << algrt_last_error();
  EXPECT_GE(bytes, 4096u);
}

TEST_F(CudaForward, WrongArgumentsAreNamed) {
  static std::vector<int64_t> odd_strides = {68, 1};
  struct Spoiled {
    void (*change)(GpuProduct &);
    algrt_status status;
    const char *words;
  };
  static int64_t rows;
  static DLTensor positions;
  const Spoiled cases[] = {
      {[](GpuProduct &p) { p.y.tensor.device.device_id = 1; }, ALGRT_INVALID_ARGUMENT,
       "y: is on a device of DLPack type 2 (CUDA), number 1, needs to be on CUDA device 0"},
      {[](GpuProduct &p) { p.w.tensor.device = {kDLCPU, 0}; }, ALGRT_INVALID_ARGUMENT, "w: is in CPU memory"},
      {[](GpuProduct &p) { p.x.tensor.device = {kDLCPU, 0}; }, ALGRT_INVALID_ARGUMENT, "y: is on a device"},
      {[](GpuProduct &p) { p.y.tensor.dtype = {kDLFloat, 16, 1}; }, ALGRT_INVALID_ARGUMENT, "needs bf16"},
      {[](GpuProduct &p) { p.x.tensor.dtype = {kDLFloat, 32, 1}; }, ALGRT_INVALID_ARGUMENT, "needs bf16"},
      {[](GpuProduct &p) { p.x.tensor.byte_offset = 8; }, ALGRT_INVALID_ARGUMENT, "multiple of 16"},
      {[](GpuProduct &p) { p.x.tensor.strides = odd_strides.data(); }, ALGRT_INVALID_ARGUMENT,
       "pad the rows"},
      {[](GpuProduct &p) { p.y.tensor.data = p.x.tensor.data; }, ALGRT_INVALID_ARGUMENT, "overlaps"},
      {[](GpuProduct &p) { p.args.p0 = -1; }, ALGRT_INVALID_ARGUMENT, "p0 is -1"},
      {[](GpuProduct &p) {
         rows = p.y.tensor.shape[0];
         positions = {p.w.tensor.data, {kDLCUDA, 0}, 1, {kDLInt, 64, 1}, &rows, nullptr, 0};
         p.args.positions = &positions;
       },
       ALGRT_UNSUPPORTED, "for CUDA devices that finds rows in a list and writes bf16"},
      {[](GpuProduct &p) {
         positions.device = {kDLCPU, 0};
         p.args.positions = &positions;
       },
       ALGRT_INVALID_ARGUMENT, "positions: is in CPU memory"},
      {[](GpuProduct &p) { p.args.y = nullptr; }, ALGRT_INVALID_ARGUMENT, "y is null"},
      {[](GpuProduct &p) {
         p.args.weights = reinterpret_cast<const algrt_weights *>(&p);
         p.args.w = nullptr;
       },
       ALGRT_INVALID_ARGUMENT, "packed for the CPU"},
      {[](GpuProduct &p) { p.args.reserved = 1; }, ALGRT_UNSUPPORTED, "reserved"},
      {[](GpuProduct &p) {
         for (GpuMatrix *matrix : {&p.x, &p.w, &p.y})
           matrix->tensor.device.device_id = 2;
       },
       ALGRT_NO_DEVICE, "there is no CUDA device 2, this machine has 2"},
  };
  const TestContext context(0);
  for (const Spoiled &spoiled : cases) {
    GpuProduct product(context, GpuShape(), 10);
    spoiled.change(product);
    EXPECT_EQ(product.run(), spoiled.status) << spoiled.words;
    EXPECT_NE(std::string(algrt_last_error()).find(spoiled.words), std::string::npos) << algrt_last_error();
  }
  EXPECT_EQ(launches, 0);
}

TEST_F(CudaForward, TheCpuRefusesWhatIsForAGpu) {
  const BundleHandle bundle = openBundle(gpuBundle(GpuShape()));
  std::vector<uint16_t> x(3 * 64), w(64 * 96), y(3 * 96);
  const auto tensor = [](std::vector<uint16_t> &data, int64_t *shape) {
    return DLTensor{data.data(), {kDLCPU, 0}, 2, {kDLBfloat, 16, 1}, shape, nullptr, 0};
  };
  int64_t x_shape[] = {3, 64}, w_shape[] = {64, 96}, y_shape[] = {3, 96};
  const DLTensor x_tensor = tensor(x, x_shape), w_tensor = tensor(w, w_shape), y_tensor = tensor(y, y_shape);
  algrt_forward_args args = algrt_forward_args_init();
  args.x = &x_tensor;
  args.w = &w_tensor;
  args.y = &y_tensor;
  EXPECT_EQ(algrt_forward(bundle.get(), &args), ALGRT_UNSUPPORTED);
  EXPECT_NE(std::string(algrt_last_error()).find("CUDA device"), std::string::npos) << algrt_last_error();
  args.dependent_launch = 1;
  EXPECT_EQ(algrt_forward(bundle.get(), &args), ALGRT_INVALID_ARGUMENT);
  EXPECT_EQ(cuda_stand_in::callCount(), 0) << "the driver has been touched";
}

} // namespace
} // namespace algrt::test
