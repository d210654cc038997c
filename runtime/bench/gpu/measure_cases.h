// From bundles and rows of tables to a report, case by case: what the programs that measure have in common.
#pragma once

#include "runtime/bench/gpu/report.h"

#include <string>
#include <vector>

namespace algrt {

// Where the kernels of bundles are to be measured. `target` is what the user asked for: "cpu", a GPU's such
// as "sm_90a", or empty: then the GPU, if one of the bundles has a kernel for the device and the device is
// there. Sets `why_not` to the reason where a bundle has such kernels and the device cannot run them. Throws
// Error(ALGRT_INVALID_ARGUMENT) for a target that is none.
bool measuresOnGpu(const std::string &target, const std::vector<TableMatch> &cases, int device,
                   std::string &why_not);

// Measures the cases in order; those without a bundle, and those for which the bundle has no kernel or the
// device no room, are in `skipped`. Where the device fails, the rest is left out and `aborted` says why.
// `after_each`, which may be empty, is given the report so far. Throws Error where the device is not there or
// cannot be measured at all.
GpuReport measureOnGpu(const GpuBenchOptions &options, const std::vector<TableMatch> &cases,
                       const std::string &command, const std::function<void(const GpuReport &)> &after_each);

} // namespace algrt
