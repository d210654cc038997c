// algrt_forward among contexts, captures, streams and threads, against the stand-in driver.
#include "tests/runtime/cuda/cuda_forward.h"

#include <thread>

namespace algrt::test {
namespace {

using CudaStreams = CudaForward;

using cuda::Result;

TEST_F(CudaStreams, TheCallersContextIsRestored) {
  computes(GpuShape());
  const TestContext tensors(0);
  GpuProduct product(tensors, GpuShape(), 5);
  const TestContext other(1);
  cuda::Context before = nullptr, after = nullptr;
  other.driver().ctxGetCurrent(&before);
  product.expectRuns("another context is current");
  ASSERT_EQ(algrt_bundle_prepare(product.bundle.get(), 0), ALGRT_OK);
  product.args.kernel = 2;
  EXPECT_NE(product.run(), ALGRT_OK);
  cuda_stand_in::failCall("cuLaunchKernelEx", 1, Result::LaunchFailed);
  product.args.kernel = 0;
  EXPECT_EQ(product.run(), ALGRT_DEVICE_ERROR);
  product.bundle.reset();
  other.driver().ctxGetCurrent(&after);
  EXPECT_EQ(before, after);
}

TEST_F(CudaStreams, CapturesIntoAGraphOncePrepared) {
  const GpuShape shape = slots();
  computes(shape);
  const TestContext context(0);
  const cuda::Driver &driver = context.driver();
  GpuProduct product(context, shape, 20);
  cuda::Stream stream;
  ASSERT_EQ(driver.streamCreate(&stream, cuda::stream_default), Result::Success);
  product.args.stream = stream;
  cuda::Graph graph;
  ASSERT_EQ(driver.streamBeginCapture(stream, cuda::CaptureMode::Global), Result::Success);
  EXPECT_EQ(product.run(), ALGRT_NOT_PREPARED);
  EXPECT_NE(std::string(algrt_last_error()).find("algrt_bundle_prepare"), std::string::npos);
  // The capture has survived the refusal.
  ASSERT_EQ(driver.streamEndCapture(stream, &graph), Result::Success);
  driver.graphDestroy(graph);

  ASSERT_EQ(algrt_bundle_prepare(product.bundle.get(), 0), ALGRT_OK) << algrt_last_error();
  ASSERT_EQ(driver.streamBeginCapture(stream, cuda::CaptureMode::Global), Result::Success);
  EXPECT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(launches, 0);
  ASSERT_EQ(driver.streamEndCapture(stream, &graph), Result::Success);
  cuda::GraphExec exec;
  ASSERT_EQ(driver.graphInstantiate(&exec, graph, 0), Result::Success);
  for (int replay = 1; replay <= 3; ++replay) {
    product.y.poison();
    product.x.fill(uint64_t(replay), 1);
    ASSERT_EQ(driver.graphLaunch(exec, stream), Result::Success);
    EXPECT_EQ(launches, replay);
    product.expectCorrect("replay");
  }
  driver.graphExecDestroy(exec);
  driver.graphDestroy(graph);
  driver.streamDestroy(stream);
}

TEST_F(CudaStreams, PreparesWhileAnotherThreadCaptures) {
  const TestContext context(0);
  const cuda::Driver &driver = context.driver();
  cuda::Stream stream;
  ASSERT_EQ(driver.streamCreate(&stream, cuda::stream_non_blocking), Result::Success);
  ASSERT_EQ(driver.streamBeginCapture(stream, cuda::CaptureMode::Global), Result::Success);
  const std::string bytes = gpuBundle(slots());
  std::thread([&] {
    const BundleHandle bundle = openBundle(bytes);
    EXPECT_EQ(algrt_bundle_prepare(bundle.get(), 0), ALGRT_OK) << algrt_last_error();
  }).join();
  cuda::Graph graph = nullptr;
  EXPECT_EQ(driver.streamEndCapture(stream, &graph), Result::Success);
  driver.graphDestroy(graph);
  driver.streamDestroy(stream);
}

TEST_F(CudaStreams, ManyThreadsStreamsAndDevicesShareOneBundle) {
  const GpuShape shape = {.row_types = RowTypesKind::Interval, .run = 5, .table = true};
  computes(shape);
  const BundleHandle bundle = openBundle(gpuBundle(shape));
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      const int device = i % 2;
      const TestContext context(device);
      cuda::Stream stream;
      ASSERT_EQ(context.driver().streamCreate(&stream, cuda::stream_non_blocking), Result::Success);
      GpuProduct product(context, shape, 4 + 5 * i, 8, i % 3 == 0 ? ElementType::F32 : ElementType::Bf16,
                         device);
      product.args.stream = stream;
      for (int round = 0; round < 4; ++round) {
        product.y.poison();
        product.args.p0 = round * 7;
        ASSERT_EQ(algrt_forward(bundle.get(), &product.args), ALGRT_OK) << algrt_last_error();
        product.expectCorrect("thread " + std::to_string(i));
      }
      context.driver().streamDestroy(stream);
    });
  for (std::thread &thread : threads)
    thread.join();
  // One image, loaded once on each device.
  EXPECT_EQ(cuda_stand_in::callCount("cuModuleLoadDataEx"), 2);
}

TEST_F(CudaStreams, BundlesAreFreedInAnyOrder) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 10; ++round) {
    std::vector<BundleHandle> bundles;
    for (int i = 0; i < 5; ++i) {
      bundles.push_back(openBundle(gpuBundle(i % 2 == 0 ? slots() : interval(3))));
      for (int device = 0; device < 2; ++device)
        if ((i + device) % 3 != 0) {
          ASSERT_EQ(algrt_bundle_prepare(bundles.back().get(), device), ALGRT_OK) << algrt_last_error();
        }
    }
    std::shuffle(bundles.begin(), bundles.end(), random);
    // In another thread, whose current context is none.
    std::thread([&] { bundles.clear(); }).join();
    EXPECT_EQ(cuda_stand_in::leaks(), std::vector<std::string>());
  }
}

} // namespace
} // namespace algrt::test
