// Measuring the GPU kernels of bundles against cuBLASLt and a composition over cuBLAS (docs/benchmarks.md):
// every variant is checked and calibrated, the fastest right one measured.
#pragma once

#include "runtime/bench/gpu/measured_device.h"
#include "runtime/bundle/gpu_kernel.h"

#include <memory>

namespace algrt {

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
  // The device has to outlive it.
  explicit GpuBench(MeasuredDevice &device);
  ~GpuBench();
  GpuBench(const GpuBench &) = delete;
  GpuBench &operator=(const GpuBench &) = delete;

  // `workload` is a name of workload.h; calls of `decode` all begin at position 0, and maps of a workload are
  // captured into a graph one after the other. Wrong results are in the case, with the measured error, and
  // have no times. Throws Error where the bundle has no kernel for the device (ALGRT_WRONG_ARCHITECTURE,
  // ALGRT_UNSUPPORTED), where there is no room, and where the device fails: nothing more can be measured
  // then.
  GpuBenchCase measure(const std::string &bundle_path, int64_t m, const std::string &workload = "forward");

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace algrt
