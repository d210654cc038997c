// A layer on the stand-ins for the driver, cuBLASLt and NVML, whose kernels take as long as a test says.
#pragma once

#include "runtime/bench/gpu/measure_cases.h"

#include "runtime/support/file.h"
#include "tests/runtime/cublaslt_stand_in/control.h"
#include "tests/runtime/cuda_stand_in/control.h"
#include "tests/runtime/cuda_stand_in/work.h"
#include "tests/runtime/gpu_bench/host_kernel.h"
#include "tests/runtime/gpu_bench/layers.h"
#include "tests/runtime/nvml_stand_in/control.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

namespace algrt {

inline constexpr double launch_us = 10; // that the stand-in takes for every launch

class GpuBenchTest : public testing::Test {
protected:
  void SetUp() override {
    ::setenv("ALGRT_CUDA_DRIVER", CUDA_STAND_IN, 1);
    ::setenv("ALGRT_CUBLASLT", CUBLASLT_STAND_IN, 1);
    ::setenv("ALGRT_CUBLAS", "/nonexistent/libcublas.so", 1); // composition_test.cpp has it
    ::setenv("ALGRT_NVML", NVML_STAND_IN, 1);
    cuda_stand_in::reset({cuda_stand_in::DeviceSpec{}});
    cublaslt_stand_in::reset({{100}, {80}, {90}});
    cublaslt_stand_in::onMatmul([&](int candidate) { log.push_back("dense " + std::to_string(candidate)); });
    nvml_stand_in::reset({{}, {unsigned(::getpid())}});
    options.trials.flush_bytes = 1 << 20;
    options.copy_sizes = {1 << 20, 2 << 20};
    options.dense_rate_size = 32;
    options.workspace_bytes = 1 << 16;
    use(test::gpuManifest(8, 8, 16, 1));
  }

  void TearDown() override {
    EXPECT_EQ(cuda_stand_in::violations(), std::vector<std::string>());
    EXPECT_EQ(cublaslt_stand_in::violations(), std::vector<std::string>());
    EXPECT_EQ(cuda_stand_in::leaks(), std::vector<std::string>());
    EXPECT_EQ(cublaslt_stand_in::liveObjects(), 0);
    EXPECT_TRUE(nvml_stand_in::balanced());
  }

  // The layer, and kernels that take these microseconds beyond launch_us.
  void use(const nlohmann::ordered_json &manifest,
           std::map<std::string, double> microseconds = {{"forward_64", 40}, {"forward_128", 20}}) {
    const std::string bytes = test::gpuBundle(manifest);
    path = testing::TempDir() + "gpu.alg";
    writeFileByRename(path, bytes);
    bundle = std::make_unique<Bundle>(Bundle::parse(bytes));
    for (const Kernel &kernel : bundle->manifest().kernels)
      kernels.insert_or_assign(kernel.gpu->symbol, std::make_unique<test::HostKernel>(test::HostKernel{
                                                       *bundle, kernel.gpu->output, {}, {}}));
    cuda_stand_in::onLaunch([this, microseconds](const cuda_stand_in::Launch &launch) {
      log.push_back(launch.symbol);
      cuda_stand_in::advanceClock(1e-3 * microseconds.at(launch.symbol));
      kernels.at(launch.symbol)->run(launch);
    });
  }

  GpuBenchCase measure(int64_t m) {
    MeasuredDevice device(options);
    GpuBench bench(device);
    return bench.measure(path, m);
  }

  GpuReport report(std::vector<int64_t> rows) {
    std::vector<TableMatch> cases;
    for (int64_t m : rows) {
      TableMatch match;
      match.row.name = "case";
      match.row.m = m;
      match.bundle_path = path;
      cases.push_back(match);
    }
    return measureOnGpu(options, cases, "algbench", saved);
  }

  GpuBenchOptions options;
  std::string path;
  std::unique_ptr<Bundle> bundle;
  std::map<std::string, std::unique_ptr<test::HostKernel>> kernels;
  std::vector<std::string> log; // what ran on the device
  std::function<void(const GpuReport &)> saved;
  bool shifted = false;
};

} // namespace algrt
