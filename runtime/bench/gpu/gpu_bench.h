// Measuring the GPU kernels of bundles against cuBLASLt and a composition over cuBLAS (docs/benchmarks.md):
// every variant is checked and calibrated, the fastest right one measured.
#pragma once

#include "runtime/bench/gpu/nvml.h"
#include "runtime/bench/gpu/trials.h"
#include "runtime/bundle/gpu_kernel.h"
#include "runtime/reference/sampled_check.h"

#include <functional>
#include <memory>

namespace algrt {

struct GpuBenchOptions {
  int device = 0;
  std::string target; // only kernels compiled for that; empty: all that the device can be given
  bool against_dense = true;
  uint64_t seed = 1;
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

struct GpuVariant {
  size_t index = 0; // in the bundle's manifest
  std::string name, target;
  GpuKernel kernel;
  double relative_l2 = 0, max_relative_error = 0; // the largest of all its checks
  double calibration_us = 0;                      // of one warm call; 0 where it was not timed
  std::string failure;                            // a wrong result; empty where it is right
};

struct GpuBenchCase {
  std::string name; // of the bundle or of the table's row
  std::string algebra_name;
  int64_t m = 0, k = 0, n = 0, q = 0;
  std::string map = "forward", dtype;      // of workload.h
  int64_t active_macs = 0, dense_macs = 0; // of all maps
  std::vector<GpuVariant> variants;        // of all maps
  // Of the variants, one for each map; empty where one of the maps has none that is right.
  std::vector<size_t> winners;
  // Those that the runtime would take for results of the winners' types; empty where it takes none.
  std::vector<size_t> chosen;
  std::optional<GpuTimes> algebra, dense;
  // The same product composed of a library's products of blocks; of the map forward alone.
  std::optional<GpuTimes> composition;
  std::string composition_library; // and how, or why there is none
  double composition_relative_l2 = 0;
  std::string dense_library; // and candidate, of each map, or why there is none
  // max(active MACs / dense MAC rate, bytes / copy bandwidth), summed over maps.
  double floor_us = 0;
  double floor_macs_us = 0, floor_bytes_us = 0; // 0 where there is no rate
  int64_t checked_outputs = 0, checked_diagonal = 0;
  bool checked_whole = false;
  std::optional<GpuClocks> clocks; // right after the trials
  std::string verdict;             // as BenchCase has it

  // The largest of the winners'; 0 where there are none.
  double relativeL2() const;
  double maxRelativeError() const;
  // Whether some variant computed something else than the reference.
  bool anyWrong() const;
};

class GpuBench {
public:
  // Opens the device and measures its rates. Throws Error: ALGRT_NO_DRIVER or ALGRT_NO_DEVICE where there is
  // none, ALGRT_DEVICE_ERROR for failures.
  explicit GpuBench(const GpuBenchOptions &options);
  ~GpuBench();
  GpuBench(const GpuBench &) = delete;
  GpuBench &operator=(const GpuBench &) = delete;

  // `workload` is a name of workload.h; calls of `decode` all begin at position 0, and maps of a workload are
  // captured into a graph one after the other. Wrong results are in the case, with the measured error, and
  // have no times. Throws Error where the bundle has no kernel for the device (ALGRT_WRONG_ARCHITECTURE,
  // ALGRT_UNSUPPORTED), where there is no room, and where the device fails: nothing more can be measured
  // then.
  GpuBenchCase measure(const std::string &bundle_path, int64_t m, const std::string &workload = "forward");
  // Looks once more for other processes.
  const GpuMachine &machine();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace algrt
