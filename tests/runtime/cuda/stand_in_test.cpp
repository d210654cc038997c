// The stand-in objects to what the driver would not accept, so that the other tests mean something.
#include "tests/runtime/cuda/gpu_product.h"
#include "tests/runtime/cuda_stand_in/control.h"
#include "tests/runtime/cuda_stand_in/image.h"

#include "runtime/bundle/bundle.h"
#include "runtime/gpu_kernel_abi.h"
#include "runtime/support/file.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace algrt::test {
namespace {

using namespace cuda;

class StandIn : public testing::Test {
protected:
  StandIn() {
    useStandIn();
    cuda_stand_in::reset({{}, {}});
    driver = Driver::open();
    EXPECT_EQ(driver->devicePrimaryCtxRetain(&context, 0), Result::Success);
    EXPECT_EQ(driver->ctxPushCurrent(context), Result::Success);
  }

  // The call failed so, and the stand-in says why.
  void expectRefused(Result result, Result expected, const std::string &words) {
    EXPECT_EQ(result, expected) << words;
    ASSERT_FALSE(cuda_stand_in::violations().empty()) << words;
    EXPECT_NE(cuda_stand_in::violations().back().find(words), std::string::npos)
        << cuda_stand_in::violations().back();
  }

  std::shared_ptr<const Driver> driver;
  Context context = nullptr;
};

// The arguments of a tensor map, right until a test spoils them.
struct MapArguments {
  TensorMapObject object[2];
  TensorMapDataType type = TensorMapDataType::Bfloat16;
  uint32_t rank = 4;
  uint64_t address = 4096;
  uint64_t extents[5] = {40, 5, 7, uint64_t(1) << 32, 1};
  uint64_t strides[4] = {80, 400, 2800, 16};
  uint32_t box[5] = {32, 1, 1, 64, 1};
  uint32_t element_strides[5] = {1, 1, 1, 1, 1};
  TensorMapSwizzle swizzle = TensorMapSwizzle::Bytes64;
  size_t skew = 0;

  Result encode(const Driver &driver) {
    return driver.tensorMapEncodeTiled(
        reinterpret_cast<TensorMapObject *>(reinterpret_cast<char *>(object) + skew), type, rank,
        reinterpret_cast<void *>(address), extents, strides, box, element_strides, TensorMapInterleave::None,
        swizzle, TensorMapL2Promotion::None, TensorMapFloatOobFill::None);
  }
};

TEST_F(StandIn, KeepsTensorMaps) {
  MapArguments arguments;
  ASSERT_EQ(arguments.encode(*driver), Result::Success);
  const auto map = cuda_stand_in::decodeTensorMap(arguments.object);
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(map->address, 4096u);
  EXPECT_EQ(map->element_bytes, 2);
  EXPECT_EQ(map->rank, 4);
  EXPECT_EQ(map->extents, (std::array<uint64_t, 5>{40, 5, 7, uint64_t(1) << 32, 0}));
  EXPECT_EQ(map->strides, (std::array<uint64_t, 4>{80, 400, 2800, 0}));
  EXPECT_EQ(map->box, (std::array<uint32_t, 5>{32, 1, 1, 64, 0}));
  EXPECT_EQ(map->swizzle, 64);
  EXPECT_FALSE(cuda_stand_in::decodeTensorMap(std::array<char, 128>{}.data()).has_value());
}

TEST_F(StandIn, RefusesTensorMapsThatTheDriverWould) {
  const std::pair<void (*)(MapArguments &), const char *> cases[] = {
      {[](MapArguments &a) { a.skew = 32; }, "multiple of 64"},
      {[](MapArguments &a) { a.type = TensorMapDataType(16); }, "type"},
      {[](MapArguments &a) { a.rank = 0; }, "rank"},
      {[](MapArguments &a) { a.rank = 6; }, "rank"},
      {[](MapArguments &a) { a.address = 4104; }, "multiple of 16"},
      {[](MapArguments &a) { a.address = 0; }, "null"},
      {[](MapArguments &a) { a.extents[2] = 0; }, "extent"},
      {[](MapArguments &a) { a.extents[3] += 1; }, "extent"},
      {[](MapArguments &a) { a.strides[1] = 408; }, "stride"},
      {[](MapArguments &a) { a.strides[2] = uint64_t(1) << 40; }, "stride"},
      {[](MapArguments &a) { a.box[3] = 257; }, "box"},
      {[](MapArguments &a) { a.box[1] = 0; }, "box"},
      {[](MapArguments &a) { a.box[0] = 20; }, "16 bytes"},
      {[](MapArguments &a) { a.box[0] = 40; }, "span"},
      {[](MapArguments &a) { a.element_strides[1] = 9; }, "element stride"},
      {[](MapArguments &a) { a.swizzle = TensorMapSwizzle(4); }, "enumerator"},
  };
  for (const auto &[change, words] : cases) {
    MapArguments arguments;
    change(arguments);
    expectRefused(arguments.encode(*driver), Result::InvalidValue, words);
  }
}

TEST_F(StandIn, RefusesLaunchesThatTheDriverWould) {
  const std::string ptx = gpuPtx(GpuShape());
  Module module;
  Function function;
  ASSERT_EQ(driver->moduleLoadDataEx(&module, ptx.c_str(), 0, nullptr, nullptr), Result::Success);
  ASSERT_EQ(driver->moduleGetFunction(&function, module, "forward_bf16"), Result::Success);
  std::vector<std::byte> maps(640);
  int32_t rows = 1, offset = 2;
  uint64_t terms = 0;
  void *parameters[] = {maps.data(), &rows, &offset, &terms};
  LaunchAttribute attribute{};
  attribute.id = LaunchAttributeId::ClusterDimension;
  attribute.value.cluster_dimension = {2, 1, 1};
  const LaunchConfig good{8, 1, 1, 384, 1, 1, 0, nullptr, &attribute, 1};
  const auto launch = [&](auto &&change) {
    LaunchConfig config = good;
    change(config);
    return driver->launchKernelEx(&config, function, parameters, nullptr);
  };
  EXPECT_EQ(launch([](LaunchConfig &) {}), Result::Success);
  // It has run: into tensor maps that nobody encoded.
  EXPECT_EQ(cuda_stand_in::violations().size(), 5u);
  expectRefused(launch([](LaunchConfig &c) { c.grid_x = 0; }), Result::InvalidValue, "grid");
  expectRefused(launch([](LaunchConfig &c) { c.grid_x = 7; }), Result::InvalidClusterSize, "divide");
  expectRefused(launch([](LaunchConfig &c) { c.block_x = 416; }), Result::InvalidValue, "416 threads");
  expectRefused(launch([](LaunchConfig &c) { c.shared_bytes = 48 * 1024 + 1; }), Result::InvalidValue,
                "shared memory");
  expectRefused(driver->funcSetAttribute(function, FunctionAttribute::MaxDynamicSharedSizeBytes, 232449),
                Result::InvalidValue, "more shared memory");
  ASSERT_EQ(driver->funcSetAttribute(function, FunctionAttribute::MaxDynamicSharedSizeBytes, 232448),
            Result::Success);
  EXPECT_EQ(launch([](LaunchConfig &c) { c.shared_bytes = 48 * 1024 + 1; }), Result::Success);
  parameters[2] = nullptr;
  expectRefused(launch([](LaunchConfig &) {}), Result::InvalidValue, "parameter 2");
  parameters[2] = &offset;
  ASSERT_EQ(driver->moduleUnload(module), Result::Success);
  expectRefused(launch([](LaunchConfig &) {}), Result::InvalidHandle, "no such function");
}

TEST_F(StandIn, RefusesWhatACaptureForbids) {
  Stream stream;
  Graph graph = nullptr;
  DevicePointer address = 0;
  ASSERT_EQ(driver->streamCreate(&stream, stream_default), Result::Success);
  const auto while_capturing = [&](auto &&call) {
    EXPECT_EQ(driver->streamBeginCapture(stream, CaptureMode::Global), Result::Success);
    const Result result = call();
    EXPECT_EQ(driver->streamEndCapture(stream, &graph), Result::StreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
    return result;
  };
  expectRefused(while_capturing([&] { return driver->memAlloc(&address, 16); }),
                Result::StreamCaptureUnsupported, "captured");
  expectRefused(while_capturing([&] { return driver->streamSynchronize(stream); }),
                Result::StreamCaptureUnsupported, "captured");
  expectRefused(while_capturing([&] { return driver->ctxSynchronize(); }), Result::StreamCaptureUnsupported,
                "captured");
  expectRefused(while_capturing([&] { return driver->streamSynchronize(nullptr); }),
                Result::StreamCaptureImplicit, "legacy");
  expectRefused(driver->streamBeginCapture(nullptr, CaptureMode::Global), Result::StreamCaptureUnsupported,
                "legacy");
  expectRefused(driver->streamEndCapture(stream, &graph), Result::StreamCaptureUnmatched, "not being");
}

// cuStreamIsCapturing: "the blocking stream capture is not invalidated".
TEST_F(StandIn, AskingTheLegacyStreamLeavesACaptureValid) {
  Stream stream;
  Graph graph = nullptr;
  CaptureStatus status;
  ASSERT_EQ(driver->streamCreate(&stream, stream_default), Result::Success);
  ASSERT_EQ(driver->streamBeginCapture(stream, CaptureMode::Global), Result::Success);
  expectRefused(driver->streamIsCapturing(nullptr, &status), Result::StreamCaptureImplicit, "legacy");
  EXPECT_EQ(driver->streamEndCapture(stream, &graph), Result::Success);
  EXPECT_EQ(driver->graphDestroy(graph), Result::Success);
}

// A copy from pageable memory returns before it has reached the device, and streams that do not wait for the
// legacy default one overtake it.
TEST_F(StandIn, CopiesFromHostMemoryAreOvertaken) {
  DevicePointer address = 0;
  Stream aside, blocking;
  ASSERT_EQ(driver->memAlloc(&address, 1), Result::Success);
  ASSERT_EQ(driver->streamCreate(&aside, stream_non_blocking), Result::Success);
  ASSERT_EQ(driver->streamCreate(&blocking, stream_default), Result::Success);
  unsigned char sent = 0, seen = 0;
  const auto see = [&](Stream stream) {
    EXPECT_EQ(driver->memcpyDtoHAsync(&seen, address, 1, stream), Result::Success);
    return seen;
  };
  const auto send = [&] {
    ++sent;
    EXPECT_EQ(driver->memcpyHtoD(address, &sent, 1), Result::Success);
    EXPECT_NE(see(aside), sent);
  };
  send();
  EXPECT_EQ(driver->streamSynchronize(aside), Result::Success);
  EXPECT_NE(see(aside), sent);
  EXPECT_EQ(driver->ctxSynchronize(), Result::Success);
  EXPECT_EQ(see(aside), sent);
  send();
  EXPECT_EQ(driver->streamSynchronize(nullptr), Result::Success);
  EXPECT_EQ(see(aside), sent);
  send();
  EXPECT_EQ(see(blocking), sent);
  send();
  EXPECT_EQ(see(nullptr), sent);
}

TEST_F(StandIn, RefusesHandlesAndMemoryThatAreGone) {
  DevicePointer address = 0;
  ASSERT_EQ(driver->memAlloc(&address, 100), Result::Success);
  std::array<char, 128> host{};
  EXPECT_EQ(driver->memcpyHtoD(address + 28, host.data(), 72), Result::Success);
  expectRefused(driver->memcpyHtoD(address + 29, host.data(), 72), Result::InvalidValue, "allocation");
  expectRefused(driver->memsetD32(address + 2, 0, 1), Result::InvalidValue, "multiple");
  Context other, popped;
  ASSERT_EQ(driver->devicePrimaryCtxRetain(&other, 1), Result::Success);
  ASSERT_EQ(driver->ctxPushCurrent(other), Result::Success);
  expectRefused(driver->memFree(address), Result::InvalidContext, "another context");
  ASSERT_EQ(driver->ctxPopCurrent(&popped), Result::Success);
  EXPECT_EQ(cuda_stand_in::leaks().size(), 3u);
  ASSERT_EQ(driver->memFree(address), Result::Success);
  expectRefused(driver->memFree(address), Result::InvalidValue, "no such allocation");
  Stream stream;
  ASSERT_EQ(driver->streamCreate(&stream, stream_default), Result::Success);
  ASSERT_EQ(driver->devicePrimaryCtxRelease(0), Result::Success);
  EXPECT_EQ(driver->ctxSynchronize(), Result::InvalidContext) << "it has ended";
  ASSERT_EQ(driver->devicePrimaryCtxRelease(1), Result::Success);
  expectRefused(driver->devicePrimaryCtxRelease(1), Result::InvalidContext, "not retained");
  EXPECT_EQ(cuda_stand_in::leaks(),
            (std::vector<std::string>{"1 streams when the context of device 0 ended"}));
}

// Found as the compiler finds it, for a shell; empty where there is none.
std::string assembler() {
  const char *const script = "'" ALGCTL_SOURCE_DIR "/scripts/fetch-cuda-assembler' --path ptxas 2> /dev/null";
  std::FILE *said = ::popen(script, "r");
  char path[4096] = "";
  const bool found = said != nullptr && std::fgets(path, sizeof path, said) != nullptr;
  const bool done = said != nullptr && ::pclose(said) == 0;
  return found && done ? "'" + std::string(path).substr(0, std::strcspn(path, "\n")) + "'" : "";
}

TEST_F(StandIn, ReadsWhatTheAssemblerWrites) {
  const std::string ptxas = assembler();
  if (ptxas.empty())
    GTEST_SKIP() << "NOT TESTED: there is no ptxas on this machine";
  const std::filesystem::path folder = testing::TempDir();
  for (const std::string target : {"sm_90a", "sm_80"}) {
    const std::string text = gpuPtx({.row_types = RowTypesKind::Interval, .run = 3}, target);
    std::ofstream(folder / "kernels.ptx") << text;
    const std::string command = ptxas + " -arch=" + target + " " + (folder / "kernels.ptx").string() +
                                " -o " + (folder / "kernels.cubin").string();
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    const auto cubin = cuda_stand_in::readImage(readFile(folder / "kernels.cubin").data());
    const auto ptx = cuda_stand_in::readImage(text.c_str());
    ASSERT_TRUE(cubin && ptx);
    EXPECT_TRUE(ptx->ptx && !cubin->ptx);
    for (const cuda_stand_in::Image &image : {*cubin, *ptx}) {
      EXPECT_EQ(image.architecture, target == "sm_80" ? 80 : 90);
      ASSERT_EQ(image.kernels.size(), 2u);
      for (const cuda_stand_in::ImageKernel &kernel : image.kernels) {
        EXPECT_TRUE(kernel.symbol == "forward_bf16" || kernel.symbol == "forward_f32") << kernel.symbol;
        EXPECT_EQ(kernel.parameters, (std::vector<size_t>{7 * algrt_tensor_map_bytes, 4, 4, 8}));
        EXPECT_EQ(kernel.most_threads, 384u);
      }
    }
  }
}

// A bundle with machine code instead of PTX goes the same way.
TEST_F(StandIn, RunsMachineCode) {
  const std::string ptxas = assembler();
  if (ptxas.empty())
    GTEST_SKIP() << "NOT TESTED: there is no ptxas on this machine";
  const std::filesystem::path folder = testing::TempDir();
  const Bundle with_ptx = Bundle::parse(gpuBundle(GpuShape()));
  std::ofstream(folder / "kernels.ptx") << with_ptx.section(*with_ptx.manifest().findSection("ptx"));
  ASSERT_EQ(std::system((ptxas + " -arch=sm_90a " + (folder / "kernels.ptx").string() + " -o " +
                         (folder / "kernels.cubin").string())
                            .c_str()),
            0);
  nlohmann::ordered_json manifest = gpuManifest(GpuShape());
  for (nlohmann::ordered_json &kernel : manifest["kernels"])
    kernel["images"] = {{{"kind", "cubin"}, {"section", "cubin"}}};
  const BundleHandle bundle =
      openBundle(gpuBundle(GpuShape(), manifest, readFile(folder / "kernels.cubin"), "cubin"));
  EXPECT_EQ(algrt_bundle_prepare(bundle.get(), 0), ALGRT_OK) << algrt_last_error();
}

} // namespace
} // namespace algrt::test
