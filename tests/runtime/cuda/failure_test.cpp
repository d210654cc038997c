// What is missing or fails has a clear status, leaves nothing behind, and does not spoil later calls.
#include "tests/runtime/cuda/gpu_product.h"
#include "tests/runtime/cuda/host_kernel.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

namespace algrt::test {
namespace {

using cuda::Result;
using Json = nlohmann::ordered_json;

class CudaFailure : public testing::Test {
protected:
  CudaFailure() {
    useStandIn();
    cuda_stand_in::reset({{}});
  }
  ~CudaFailure() override { useStandIn(); }

  void expectClean(const std::string &what = "") {
    EXPECT_EQ(cuda_stand_in::violations(), std::vector<std::string>()) << what;
    EXPECT_EQ(cuda_stand_in::leaks(), std::vector<std::string>()) << what;
  }
};

// Status and message of preparing device 0.
std::pair<int, std::string> prepare(const BundleHandle &bundle) {
  const int status = algrt_bundle_prepare(bundle.get(), 0);
  return {status, status == ALGRT_OK ? "" : algrt_last_error()};
}

void expectReason(const BundleHandle &bundle, const std::string &words) {
  const Json kernels = Json::parse(algrt_bundle_describe_kernels(bundle.get()));
  ASSERT_EQ(kernels.size(), 2u);
  for (const Json &kernel : kernels) {
    EXPECT_EQ(kernel["usable"], false);
    EXPECT_NE(kernel["reason"].get<std::string>().find(words), std::string::npos) << kernel;
  }
}

TEST_F(CudaFailure, NoDriver) {
  ::setenv("ALGRT_CUDA_DRIVER", "/nonexistent/libcuda.so.1", 1);
  const BundleHandle bundle = openBundle(gpuBundle(GpuShape()));
  const auto [status, message] = prepare(bundle);
  EXPECT_EQ(status, ALGRT_NO_DRIVER);
  EXPECT_NE(message.find("no CUDA driver: /nonexistent/libcuda.so.1 does not load"), std::string::npos)
      << message;
  expectReason(bundle, "no CUDA driver");
  algrt_bundle_info info = algrt_bundle_info_init();
  ASSERT_EQ(algrt_bundle_get_info(bundle.get(), &info), ALGRT_OK);
  EXPECT_EQ(info.runs_here, 0);
  // A library that is no driver.
  ::setenv("ALGRT_CUDA_DRIVER", "libc.so.6", 1);
  EXPECT_EQ(prepare(bundle).first, ALGRT_NO_DRIVER);
  EXPECT_NE(prepare(bundle).second.find("has no cu"), std::string::npos);
  // It appears after all.
  useStandIn();
  EXPECT_EQ(prepare(bundle).first, ALGRT_OK);
}

TEST_F(CudaFailure, OldDriver) {
  cuda_stand_in::setVersion(11080);
  const BundleHandle bundle = openBundle(gpuBundle(GpuShape()));
  const auto [status, message] = prepare(bundle);
  EXPECT_EQ(status, ALGRT_NO_DRIVER);
  EXPECT_NE(message.find("for CUDA 11.8"), std::string::npos) << message;
}

TEST_F(CudaFailure, NoDevice) {
  cuda_stand_in::reset({});
  const BundleHandle bundle = openBundle(gpuBundle(GpuShape()));
  EXPECT_EQ(prepare(bundle).first, ALGRT_NO_DEVICE);
  expectReason(bundle, "CUDA_ERROR_NO_DEVICE");
  cuda_stand_in::reset({{}});
  EXPECT_EQ(algrt_bundle_prepare(bundle.get(), 1), ALGRT_NO_DEVICE);
  EXPECT_STREQ(algrt_last_error(), "there is no CUDA device 1, this machine has 1, numbered from 0");
  EXPECT_EQ(algrt_bundle_prepare(bundle.get(), -1), ALGRT_NO_DEVICE);
  EXPECT_EQ(prepare(bundle).first, ALGRT_OK);
}

TEST_F(CudaFailure, WrongArchitecture) {
  for (int capability : {80, 89, 100, 120}) {
    cuda_stand_in::reset({{.capability = capability}});
    const TestContext context(0);
    GpuProduct product(context, GpuShape(), 5);
    const std::string has = "needs compute capability 9.0, device 0 has " + std::to_string(capability / 10) +
                            "." + std::to_string(capability % 10);
    EXPECT_EQ(product.run(), ALGRT_WRONG_ARCHITECTURE);
    EXPECT_NE(std::string(algrt_last_error()).find(has), std::string::npos) << algrt_last_error();
    EXPECT_EQ(prepare(product.bundle).first, ALGRT_WRONG_ARCHITECTURE);
    product.args.kernel = 1;
    EXPECT_EQ(product.run(), ALGRT_WRONG_ARCHITECTURE);
    expectReason(product.bundle, has);
  }
  expectClean();
  // Of several devices one is enough to be usable.
  cuda_stand_in::reset({{.capability = 80}, {}});
  const BundleHandle bundle = openBundle(gpuBundle(GpuShape()));
  EXPECT_EQ(Json::parse(algrt_bundle_describe_kernels(bundle.get()))[0]["usable"], true);
  EXPECT_EQ(prepare(bundle).first, ALGRT_WRONG_ARCHITECTURE);
  EXPECT_EQ(algrt_bundle_prepare(bundle.get(), 1), ALGRT_OK) << algrt_last_error();
}

TEST_F(CudaFailure, LessSharedMemoryThanNeeded) {
  cuda_stand_in::reset({{.shared_bytes = 100000}});
  const auto [status, message] = prepare(openBundle(gpuBundle(GpuShape())));
  EXPECT_EQ(status, ALGRT_WRONG_ARCHITECTURE);
  EXPECT_NE(message.find("200000 bytes of shared memory"), std::string::npos) << message;
  expectClean();
}

TEST_F(CudaFailure, ImagesThatDoNotLoad) {
  const GpuShape shape;
  Json manifest = gpuManifest(shape);
  const auto message = [&](const std::string &image) {
    return prepare(openBundle(gpuBundle(shape, manifest, image, "ptx")));
  };
  EXPECT_EQ(message("no PTX at all").first, ALGRT_BAD_BUNDLE);
  EXPECT_NE(message("no PTX at all").second.find("section 'ptx': the assembler's complaint"),
            std::string::npos);
  EXPECT_EQ(message(gpuPtx(shape, "sm_100a")).first, ALGRT_WRONG_ARCHITECTURE);
  // Nothing but a record of that name.
  manifest["kernels"][1]["symbol"] = "backward";
  EXPECT_EQ(message(gpuPtx(shape)).first, ALGRT_BAD_BUNDLE);
  EXPECT_NE(message(gpuPtx(shape)).second.find("kernel 'backward'"), std::string::npos);
  expectClean();
}

// A driver that is older than the assembler does not know its machine code, but compiles PTX.
TEST_F(CudaFailure, MachineCodeThatTheDriverRejectsGivesWayToPtx) {
  const GpuShape shape;
  cuda_stand_in::onLaunch([&](const cuda_stand_in::Launch &launch) { runHostKernel(shape, launch); });
  Json manifest = gpuManifest(shape);
  for (Json &kernel : manifest["kernels"])
    kernel["images"] = {{{"kind", "ptx"}, {"section", "ptx"}}, {{"kind", "cubin"}, {"section", "cubin"}}};
  const auto bundle = [&](const std::string &cubin, const std::string &ptx) {
    return openBundle(gpuBundle(shape, manifest, {{"cubin", "cubin", cubin}, {"ptx", "ptx", ptx}}));
  };
  for (const Result rejection : {Result::NoBinaryForGpu, Result::InvalidImage}) {
    const TestContext context(0);
    GpuProduct product(context, shape, 9);
    product.bundle = bundle(gpuPtx(shape), gpuPtx(shape));
    cuda_stand_in::failCall("cuModuleLoadDataEx", 1, rejection);
    product.args.kernel = 1;
    const int before = cuda_stand_in::callCount("cuModuleLoadDataEx");
    product.expectRuns(std::to_string(int(rejection)));
    EXPECT_EQ(cuda_stand_in::callCount("cuModuleLoadDataEx") - before, 2);
  }
  // What is no reason to try another image ends it.
  cuda_stand_in::failCall("cuModuleLoadDataEx", 1, Result::OutOfMemory);
  EXPECT_EQ(prepare(bundle(gpuPtx(shape), gpuPtx(shape))).first, ALGRT_OUT_OF_MEMORY);
  // Where none is left, what was said of each.
  const auto [status, message] = prepare(bundle("no machine code", gpuPtx(shape, "sm_100a")));
  EXPECT_EQ(status, ALGRT_WRONG_ARCHITECTURE);
  EXPECT_NE(message.find("cubin section 'cubin': CUDA_ERROR_INVALID_IMAGE"), std::string::npos) << message;
  EXPECT_NE(message.find("; loading the ptx section 'ptx': CUDA_ERROR_NO_BINARY"), std::string::npos)
      << message;
  expectClean();
}

TEST_F(CudaFailure, OlderTargetsRunOnNewerDevicesFromPtx) {
  const GpuShape shape = {.vector = 8};
  for (int capability : {80, 86, 90, 100}) {
    cuda_stand_in::reset({{.capability = capability}});
    EXPECT_EQ(prepare(openBundle(gpuBundle(shape))).first, ALGRT_OK);
  }
  cuda_stand_in::reset({{.capability = 75}});
  EXPECT_NE(prepare(openBundle(gpuBundle(shape))).second.find("capability 8.0 or above, device 0 has 7.5"),
            std::string::npos);
}

TEST_F(CudaFailure, OutOfMemory) {
  const GpuShape shape = {.lift = Lift::Slots};
  cuda_stand_in::reset({{.memory = 16}});
  const auto [status, message] = prepare(openBundle(gpuBundle(shape)));
  EXPECT_EQ(status, ALGRT_OUT_OF_MEMORY);
  EXPECT_NE(message.find("terms table"), std::string::npos) << message;
  expectClean();
}

// Everything that a program does with a bundle. Returns the first status that is not ALGRT_OK.
int useEverything(GpuProduct &product) {
  int status = algrt_bundle_prepare(product.bundle.get(), 0);
  if (status == ALGRT_OK)
    status = product.run();
  return status;
}

class CudaFailureInTurn : public CudaFailure, public testing::WithParamInterface<int64_t> {};

TEST_P(CudaFailureInTurn, EveryCall) {
  const GpuShape shape = {.lift = Lift::Slots, .scaled = GetParam() > 0, .vector = GetParam()};
  const auto with_stand_in = [&](const std::function<void(const TestContext &, GpuProduct &)> &body) {
    cuda_stand_in::reset({{}});
    cuda_stand_in::onLaunch([&](const cuda_stand_in::Launch &launch) { runHostKernel(shape, launch); });
    {
      const TestContext context(0);
      GpuProduct product(context, shape, 9);
      body(context, product);
    }
    expectClean();
  };
  int calls = 0;
  with_stand_in([&](const TestContext &, GpuProduct &product) {
    const int before = cuda_stand_in::callCount();
    ASSERT_EQ(useEverything(product), ALGRT_OK) << algrt_last_error();
    product.bundle.reset();
    calls = cuda_stand_in::callCount() - before;
  });
  ASSERT_GT(calls, GetParam() > 0 ? 25 : 30);
  int failures = 0;
  for (const Result result : {Result::OutOfMemory, Result::Unknown})
    for (int nth = 1; nth <= calls; ++nth)
      with_stand_in([&](const TestContext &context, GpuProduct &product) {
        const size_t before = cuda_stand_in::calls().size();
        cuda_stand_in::failCall("", nth, result);
        const int status = useEverything(product);
        const std::vector<std::string> made = cuda_stand_in::calls();
        const std::string what =
            "call " + std::to_string(nth) + ", " +
            (made.size() >= before + size_t(nth) ? made[before + size_t(nth) - 1] : "in close");
        if (status != ALGRT_OK) {
          ++failures;
          EXPECT_EQ(status, result == Result::OutOfMemory ? ALGRT_OUT_OF_MEMORY : ALGRT_DEVICE_ERROR) << what;
          EXPECT_NE(std::string(algrt_last_error()).size(), 0u);
          EXPECT_NE(std::string(algrt_last_error()).find(std::to_string(int(result))), std::string::npos)
              << algrt_last_error();
          // The same bundle works afterwards.
          product.expectRuns(what);
        } else {
          product.expectCorrect(what);
        }
        product.bundle.reset();
        cuda::Context current = nullptr, mine = nullptr;
        context.driver().ctxGetCurrent(&current);
        context.driver().devicePrimaryCtxRetain(&mine, 0);
        context.driver().devicePrimaryCtxRelease(0);
        EXPECT_EQ(current, mine) << what;
        EXPECT_EQ(cuda_stand_in::violations(), std::vector<std::string>()) << what;
      });
  // Most calls cannot fail unnoticed; what releases something may.
  EXPECT_GT(failures, calls);
}

INSTANTIATE_TEST_SUITE_P(Copies, CudaFailureInTurn, testing::Values(0, 8),
                         [](const auto &info) { return info.param == 0 ? "Engine" : "Threads"; });

} // namespace
} // namespace algrt::test
