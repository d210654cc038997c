// The device that is measured, with what every measurement there needs: its rates, a stream, how calls are
// timed, and the libraries that kernels are compared with.
#pragma once

#include "runtime/bench/gpu/baselines.h"
#include "runtime/bench/gpu/nvml.h"
#include "runtime/bench/gpu/trials.h"
#include "runtime/reference/activation.h"
#include "runtime/reference/sampled_check.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace algrt {

struct GpuBenchOptions {
  int device = 0;
  std::string target; // only kernels compiled for that; empty: all that the device can be given
  bool against_dense = true;
  uint64_t seed = 1;
  Activation activation = Activation::Silu; // of the networks that are measured
  GpuTrialOptions trials;
  SampledCheckOptions check; // map, position and seed are set by each check
  // The copy bandwidth is the best over copies of these sizes, which have to be far above what the caches
  // hold.
  std::vector<size_t> copy_sizes = {size_t(512) << 20, size_t(1) << 30, size_t(2) << 30};
  int64_t dense_rate_size = 8192; // the dense rate is that of a product of so many rows, columns and depth
  uint64_t workspace_bytes = uint64_t(64) << 20;                          // that the dense library may use
  std::function<void(double fraction, const std::string &what)> progress; // may be empty
};

// Processes other than this one that computed on the device.
struct GpuCompany {
  std::vector<int64_t> before, after;
  std::string unknown; // why it could not be checked; empty where it was
};

struct GpuMachine {
  std::string device, cuda_version, driver_version;
  int architecture = 0; // ten times the compute capability
  int multiprocessors = 0;
  int64_t l2_bytes = 0;
  double copy_bytes_per_second = 0; // read plus written
  double dense_macs_per_second = 0; // bf16; 0 = not measured
  std::string dense_library;        // its version, or why there is none
  std::string composition_library;  // of the products of blocks, likewise
  std::optional<GpuClocks> clocks;  // before the first case
  GpuCompany company;
  GpuTrialOptions trials;
};

class MeasuredDevice {
public:
  // Opens the device and measures its rates. Throws Error: ALGRT_NO_DRIVER or ALGRT_NO_DEVICE where there is
  // none, ALGRT_DEVICE_ERROR for failures.
  explicit MeasuredDevice(const GpuBenchOptions &options);
  MeasuredDevice(const MeasuredDevice &) = delete;
  MeasuredDevice &operator=(const MeasuredDevice &) = delete;

  const GpuBenchOptions &options() const { return options_; }
  // Looks once more for other processes.
  const GpuMachine &lookedAt();
  const GpuMachine &machine() const { return machine_; }
  const GpuDevice &device() const { return *device_; }
  const GpuStream &stream() const { return *stream_; }
  GpuTrials &trials() { return *trials_; }
  GpuBaselines *baselines() { return baselines_.get(); } // null where they are not asked for
  // Where the device tells them.
  std::optional<GpuClocks> clocks() const { return nvml_ ? nvml_->clocks() : std::nullopt; }
  void report(double fraction, const std::string &what) const {
    if (options_.progress)
      options_.progress(fraction, what);
  }

private:
  void lookForCompany(bool first);
  void measureRates();

  const GpuBenchOptions options_;
  GpuMachine machine_;
  std::unique_ptr<Nvml> nvml_; // before the device: it is asked before there is a context
  std::unique_ptr<GpuDevice> device_;
  std::unique_ptr<GpuStream> stream_;
  std::unique_ptr<GpuTrials> trials_;
  std::unique_ptr<GpuBaselines> baselines_;
};

} // namespace algrt
