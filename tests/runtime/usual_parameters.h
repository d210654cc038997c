// The parameters of kernels by hand, in the order that those of the tests take them: maps of x, w and y,
// rows, offset, terms, then beta, or positions and their bytes, and a bias.
#pragma once

#include "runtime/bundle/gpu_kernel.h"

#include <nlohmann/json.hpp>

namespace algrt::test {

KernelParameters usualParameters(const GpuKernel &kernel, const Layer &layer);
// Those of the kernel group_rows.
KernelParameters rowListParameters();

// A manifest whose kernels for GPUs have such lists where they have none. Entries that are no proper kernels
// stay as they are.
nlohmann::ordered_json withParameters(nlohmann::ordered_json manifest);

// A manifest with the programs of its projection, one for each map of which it has kernels, where it has no
// list of programs.
nlohmann::ordered_json withPrograms(nlohmann::ordered_json manifest);

} // namespace algrt::test
