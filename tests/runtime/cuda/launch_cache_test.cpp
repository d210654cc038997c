// Calls that repeat an earlier one take over its launch, and no other call does.
#include "runtime/api/handles.h"
#include "runtime/cuda/launch_cache.h"
#include "tests/runtime/cuda/cuda_forward.h"
#include "tests/runtime/cuda/idle_driver.h"

#include <atomic>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace {

std::atomic<int64_t> allocations = 0;

} // namespace

// Under sanitizers these are theirs.
#ifndef ALGCTL_SANITIZED
void *operator new(size_t bytes) {
  ++allocations;
  if (void *memory = std::malloc(bytes))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
#endif

namespace algrt::test {
namespace {

using cuda::LaunchCache;
using cuda::LaunchKey;
using cuda::PreparedLaunch;
using cuda::Result;

LaunchKey keyOf(std::initializer_list<uint64_t> numbers) {
  LaunchKey key;
  for (const uint64_t number : numbers)
    key.add(number);
  return key;
}

std::shared_ptr<const PreparedLaunch> launchOf(size_t kernel) {
  return std::make_shared<const PreparedLaunch>(PreparedLaunch{kernel, {}, {}, {}});
}

TEST(LaunchCache, KeepsTheLaunchesThatWereUsedLast) {
  LaunchCache cache;
  cache.setCapacity(2);
  EXPECT_EQ(cache.find(keyOf({1, 2})), nullptr);
  const std::shared_ptr<const PreparedLaunch> first = launchOf(1), second = launchOf(2), third = launchOf(3);
  cache.insert(keyOf({1, 2}), first);
  cache.insert(keyOf({2, 1}), second);
  EXPECT_EQ(cache.find(keyOf({1, 2})), first);
  cache.insert(keyOf({1, 2, 3}), third); // the second goes
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(cache.find(keyOf({2, 1})), nullptr);
  EXPECT_EQ(cache.find(keyOf({1, 2})), first);
  EXPECT_EQ(cache.find(keyOf({1, 2, 3})), third);
  cache.insert(keyOf({1, 2}), second); // in the place of the first
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(cache.find(keyOf({1, 2})), second);
  cache.setCapacity(1);
  EXPECT_EQ(cache.find(keyOf({1, 2, 3})), nullptr);
  EXPECT_EQ(cache.find(keyOf({1, 2})), second);
  cache.setCapacity(0);
  EXPECT_EQ(cache.size(), 0u);
  cache.insert(keyOf({1, 2}), first);
  EXPECT_EQ(cache.find(keyOf({1, 2})), nullptr);
}

TEST(LaunchCache, KeysDifferInEveryNumber) {
  const std::vector<uint64_t> numbers = {0, 1, uint64_t(1) << 40, 0, ~uint64_t(0)};
  const auto of = [](const std::vector<uint64_t> &all) {
    LaunchKey key;
    for (const uint64_t number : all)
      key.add(number);
    return key;
  };
  LaunchCache cache;
  cache.insert(of(numbers), launchOf(0));
  for (size_t i = 0; i < numbers.size(); ++i)
    for (const uint64_t flipped : {uint64_t(1), uint64_t(1) << 20, uint64_t(1) << 63}) {
      std::vector<uint64_t> other = numbers;
      other[i] ^= flipped;
      EXPECT_NE(of(other).hash(), of(numbers).hash());
      EXPECT_EQ(cache.find(of(other)), nullptr);
    }
  std::vector<uint64_t> longer = numbers;
  longer.push_back(0);
  EXPECT_NE(of(longer).hash(), of(numbers).hash());
  EXPECT_NE(cache.find(of(numbers)), nullptr);
}

TEST(LaunchCache, AKeyHasRoomForEveryFusedLayer) {
  LaunchKey key;
  const cuda::Operand operand{1, 2};
  for (int64_t i = 0; i < 3 * most_fused; ++i)
    key.add(operand);
  for (int i = 0; i < 16; ++i)
    key.add(3);
  EXPECT_THROW(key.add(3), Error);
}

TEST(LaunchCache, ThreadsShareIt) {
  LaunchCache cache;
  cache.setCapacity(8);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&cache, i] {
      for (uint64_t round = 0; round < 2000; ++round) {
        const uint64_t number = (round * uint64_t(i + 1)) % 12;
        const LaunchKey key = keyOf({number, 7});
        if (const auto found = cache.find(key))
          ASSERT_EQ(found->kernel, number);
        else
          cache.insert(key, launchOf(number));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(cache.size(), 8u);
}

class CudaLaunchCache : public CudaForward {
protected:
  // Maps that a call, which succeeds and is right, has had encoded.
  int encodes(GpuProduct &product, const std::string &what) {
    const int before = cuda_stand_in::callCount("cuTensorMapEncodeTiled");
    product.expectRuns(what);
    return cuda_stand_in::callCount("cuTensorMapEncodeTiled") - before;
  }
  static LaunchCache &cacheOf(const GpuProduct &product) {
    return product.bundle->gpu_kernels.device(0).launches();
  }
};

// Two maps of x and of y, and one of w.
constexpr int maps = 5;

TEST_F(CudaLaunchCache, ARepeatedCallEncodesNothing) {
  computes(GpuShape());
  const TestContext context(0);
  GpuProduct product(context, GpuShape(), 9, 8);
  EXPECT_EQ(encodes(product, "first"), maps);
  EXPECT_EQ(encodes(product, "second"), 0);
  product.x.fill(17, 1);
  EXPECT_EQ(encodes(product, "other numbers at the same place"), 0);
  // Positions repeat with the row types.
  product.args.p0 = 4;
  EXPECT_EQ(encodes(product, "a period further"), 0);
  EXPECT_EQ(cacheOf(product).size(), 1u);
}

TEST_F(CudaLaunchCache, EveryNumberOfACallCounts) {
  computes(GpuShape());
  const TestContext context(0);
  GpuProduct product(context, GpuShape(), 9, 16, ElementType::F32);
  EXPECT_EQ(encodes(product, "first"), maps);
  const auto changes = [&](const char *what, const std::function<void()> &change) {
    change();
    EXPECT_EQ(encodes(product, what), maps) << what;
    EXPECT_EQ(encodes(product, what), 0) << what;
  };
  changes("p0", [&] { product.args.p0 = 1; });
  changes("the named kernel", [&] { product.args.kernel = 2; });
  changes("the dependent launch", [&] { product.args.dependent_launch = 1; });
  GpuProduct narrow(context, GpuShape(), 9, 16), others(context, GpuShape(), 9, 16, ElementType::F32);
  changes("x", [&] {
    product.args.x = &others.x.tensor;
    others.x.fill(1, 1);
  });
  changes("w", [&] { product.args.w = &others.w.tensor; });
  narrow.bundle.swap(product.bundle);
  EXPECT_EQ(encodes(narrow, "another type of y"), maps);
  EXPECT_EQ(encodes(narrow, "another type of y"), 0);
}

// An address that was freed and taken again for another matrix.
TEST_F(CudaLaunchCache, AnotherMatrixAtTheSameAddressIsAnotherLaunch) {
  computes(GpuShape());
  const TestContext context(0);
  GpuProduct product(context, GpuShape(), 9, 16);
  EXPECT_EQ(encodes(product, "first"), maps);
  // Rows closer together, and fewer of them.
  for (GpuMatrix *matrix : {&product.x, &product.y})
    matrix->strides[0] -= 8;
  product.x.fill(1, 1);
  EXPECT_EQ(encodes(product, "closer"), maps);
  for (GpuMatrix *matrix : {&product.x, &product.y})
    matrix->shape[0] = 6;
  EXPECT_EQ(encodes(product, "fewer"), maps);
  for (GpuMatrix *matrix : {&product.x, &product.y}) {
    matrix->shape[0] = 9;
    matrix->strides[0] += 8;
  }
  product.x.fill(1, 1);
  EXPECT_EQ(encodes(product, "as it was"), 0);
  EXPECT_EQ(cacheOf(product).size(), 3u);
}

TEST_F(CudaLaunchCache, TheLaunchThatWasNotUsedForLongestGoes) {
  computes(GpuShape());
  const TestContext context(0);
  GpuProduct product(context, GpuShape(), 9);
  cacheOf(product).setCapacity(2);
  const auto at = [&](int64_t p0) {
    product.args.p0 = p0;
    return encodes(product, "p0 " + std::to_string(p0));
  };
  EXPECT_EQ(at(0), maps);
  EXPECT_EQ(at(1), maps);
  EXPECT_EQ(at(0), 0);
  EXPECT_EQ(at(2), maps);
  EXPECT_EQ(at(0), 0);
  EXPECT_EQ(at(1), maps);
  EXPECT_EQ(cacheOf(product).size(), 2u);
}

TEST_F(CudaLaunchCache, ItGoesWithItsBundleAndIsOfItsDevice) {
  computes(GpuShape());
  const TestContext second_device(1), context(0);
  GpuProduct product(context, GpuShape(), 9);
  EXPECT_EQ(encodes(product, "first"), maps);
  product.bundle = openBundle(product.bytes);
  EXPECT_EQ(encodes(product, "opened again"), maps);
  const TestContext there(1);
  GpuProduct other(there, GpuShape(), 9, 0, ElementType::Bf16, 1);
  other.bundle.swap(product.bundle);
  EXPECT_EQ(encodes(other, "the other device"), maps);
}

TEST_F(CudaLaunchCache, WhatIsRefusedStaysRefused) {
  computes(GpuShape());
  const TestContext context(0);
  GpuProduct product(context, GpuShape(), 9);
  const int64_t most = std::numeric_limits<int64_t>::max();
  product.args.p0 = (most - 20) / 4 * 4;
  EXPECT_EQ(encodes(product, "first"), maps);
  product.args.p0 += 16; // at the same place in the period, but beyond 64 bits
  EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(algrt_last_error()).find("does not fit 64 bits"), std::string::npos);
  product.args.p0 = 1;
  cuda_stand_in::failCall("cuTensorMapEncodeTiled", 3, Result::OutOfMemory);
  EXPECT_EQ(product.run(), ALGRT_OUT_OF_MEMORY);
  EXPECT_EQ(encodes(product, "nothing of it was kept"), maps);
}

TEST_F(CudaLaunchCache, ItsLaunchesAreCaptured) {
  computes(GpuShape());
  const TestContext context(0);
  const cuda::Driver &driver = context.driver();
  GpuProduct product(context, GpuShape(), 20, 0, ElementType::F32);
  cuda::Stream stream;
  ASSERT_EQ(driver.streamCreate(&stream, cuda::stream_non_blocking), Result::Success);
  product.args.stream = stream;
  product.args.dependent_launch = 1;
  EXPECT_EQ(encodes(product, "first"), maps);
  const auto before = cuda_stand_in::calls().size();
  ASSERT_EQ(driver.streamBeginCapture(stream, cuda::CaptureMode::Global), Result::Success);
  EXPECT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
  const std::vector<std::string> calls = cuda_stand_in::calls();
  EXPECT_EQ(std::vector<std::string>(calls.begin() + ptrdiff_t(before) + 1, calls.end()),
            (std::vector<std::string>{"cuCtxPushCurrent_v2", "cuLaunchKernelEx", "cuCtxPopCurrent_v2"}));
  cuda::Graph graph;
  ASSERT_EQ(driver.streamEndCapture(stream, &graph), Result::Success);
  cuda::GraphExec exec;
  ASSERT_EQ(driver.graphInstantiate(&exec, graph, 0), Result::Success);
  cacheOf(product).setCapacity(0); // a graph keeps what it was captured with
  product.x.fill(3, 1);
  product.y.poison();
  ASSERT_EQ(driver.graphLaunch(exec, stream), Result::Success);
  product.expectCorrect("replay");
  EXPECT_TRUE(last.programmatic);
  driver.graphExecDestroy(exec);
  driver.graphDestroy(graph);
  driver.streamDestroy(stream);
}

TEST_F(CudaLaunchCache, ThreadsShareTheLaunchesOfABundle) {
  computes(GpuShape());
  const BundleHandle bundle = openBundle(gpuBundle(GpuShape()));
  bundle->gpu_kernels.device(0).launches().setCapacity(3); // so that launches come and go
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      const TestContext context(0);
      GpuProduct product(context, GpuShape(), 5 + i);
      for (int round = 0; round < 12; ++round) {
        product.y.poison();
        product.args.p0 = round / 2 % 3;
        ASSERT_EQ(algrt_forward(bundle.get(), &product.args), ALGRT_OK) << algrt_last_error();
        product.expectCorrect("thread " + std::to_string(i));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

#ifndef ALGCTL_SANITIZED
TEST_F(CudaLaunchCache, ARepeatedCallAllocatesNothing) {
  const TestContext context(0);
  for (const GpuShape &shape : {GpuShape(), interval(3), GpuShape{.vector = 4}, GpuShape{.gradient = true}}) {
    GpuProduct product(context, shape, 9);
    ASSERT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
    // The stand-in notes every call, and allocates for that.
    makeIdle(product.bundle->gpu_kernels.device(0).context().driver());
    const int64_t before = allocations;
    const int status = product.run();
    EXPECT_EQ(allocations - before, 0);
    EXPECT_EQ(status, ALGRT_OK);
    cacheOf(product).setCapacity(0);
    ASSERT_EQ(product.run(), ALGRT_OK);
    EXPECT_GT(allocations - before, 0) << "allocations are not counted";
  }
}
#endif

} // namespace
} // namespace algrt::test
