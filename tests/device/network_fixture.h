// Networks on the stand-ins for the driver, cuBLASLt and NVML: their kernels compute on the host and take as
// long as a test says.
#pragma once

#include "runtime/bench/gpu/report.h"
#include "tests/device/network_bundles.h"
#include "tests/device/network_kernels.h"
#include "tests/runtime/gpu_bench/bench_fixture.h"

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace device_test {

class NetworkBench : public algrt::GpuBenchTest {
protected:
  /// Microseconds of a launch of each kind, beyond algrt::launch_us.
  static constexpr double first_us = 40, second_us = 20, step_us = 15, apart_us = 10, each_us = 7,
                          activation_us = 5;
  static constexpr double dense_us = 80; ///< of the library's fastest candidate

  void SetUp() override {
    GpuBenchTest::SetUp();
    options.copy_sizes = {1 << 20};
    options.trials.calibration_trials = 1;
    options.trials.evaluation_trials = 2;
    options.trials.most_replays = 2;
    folder = testing::TempDir() + "networks";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    launches = std::make_unique<NetworkKernels>();
    launches->microseconds = [](const RunningKernel &running) {
      const std::string stem = std::filesystem::path(running.bundle).stem();
      return stem.ends_with("-steps")        ? step_us
             : stem.ends_with("-apart")      ? apart_us
             : stem.ends_with("-each")       ? each_us
             : stem.ends_with("-activation") ? activation_us
             : running.number == 0           ? first_us
                                             : second_us;
    };
  }

  void open(const std::vector<std::string> &paths) {
    for (const std::string &path : paths)
      launches->open(path);
    bundle_path = paths.front();
  }

  algrt::GpuReport report(int64_t m, int64_t experts = 0) {
    algrt::TableMatch match;
    match.row.name = "the row's name";
    match.row.map = algrt::network_map;
    match.row.m = m;
    match.row.experts = experts;
    match.bundle_path = bundle_path;
    return algrt::measureOnGpu(options, {match}, "algbench", {});
  }

  /// What is reported of the one network.
  algrt::GpuNetworkCase measure(int64_t m, int64_t experts = 0) {
    last = report(m, experts);
    EXPECT_TRUE(last.skipped.empty()) << last.skipped.front().skipped;
    EXPECT_EQ(last.networks.size(), 1U);
    return last.networks.empty() ? algrt::GpuNetworkCase() : last.networks.front().result;
  }

  std::string folder, bundle_path;
  std::unique_ptr<NetworkKernels> launches;
  algrt::GpuReport last;
};

} // namespace device_test
