// Measuring feed-forward networks on a GPU: a bundle's program beside the same with a step for each layer,
// beside the same operations as kernels of their own, beside a call for each expert, and beside dense
// products.
#pragma once

#include "runtime/bench/gpu/measured_device.h"
#include "runtime/bench/network.h"
#include "runtime/bundle/gpu_kernel.h"
#include "runtime/reference/activation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace algrt {

// A kernel that computes the whole network.
struct GpuNetworkVariant {
  std::string name, target;
  GpuKernel kernel;
  double relative_l2 = 0, calibration_us = 0; // 0 where it was not timed
  std::string failure;                        // a wrong result; empty where it is right
};

// One of the things that are measured against each other.
struct GpuNetworkContender {
  std::optional<GpuTimes> times;
  size_t steps = 0;
  double relative_l2 = 0;
  std::string failure; // why it has no times; empty where it has, or where nobody asked for it
};

struct GpuNetworkCase {
  std::string name, program, algebra_name, activation;
  int64_t m = 0, k = 0, hidden = 0, n = 0, q = 0, experts = 0;
  std::vector<GpuNetworkVariant> variants; // where the program is of one step
  std::optional<size_t> winner; // of the variants: the fastest one that is right, which `algebra` is
  double chosen_us =
      0; // calibration of a call without a wish for a kernel; the same where there is no choice
  GpuNetworkContender algebra, steps, apart, each, dense;
  std::string dense_library; // and candidates, or why there is none
  // max(active MACs / dense MAC rate, bytes / copy bandwidth): x, y and the blocks of the weights that some
  // row reads, each once.
  double floor_us = 0, floor_macs_us = 0, floor_bytes_us = 0;
  int64_t active_macs = 0, dense_macs = 0, bytes = 0;
  int64_t checked_rows = 0;
  std::optional<GpuClocks> clocks; // right after the trials

  bool anyWrong() const;
};

class GpuNetworkBench {
public:
  // The device has to outlive it.
  explicit GpuNetworkBench(MeasuredDevice &device) : measured_(device) {}

  // The program "forward" of the bundle. Sampled rows of every kernel and every contender are compared with
  // the definition, and all rows with those of the first one that is right. Throws Error as GpuBench::measure
  // does, and for programs that are no networks (ALGRT_UNSUPPORTED).
  GpuNetworkCase measure(const NetworkBundles &sources, int64_t m, int64_t experts, Activation activation);

private:
  MeasuredDevice &measured_;
};

} // namespace algrt
