// One product of rows with a weight matrix, or several with maps of their sums: cut into tasks, workers
// started.
#pragma once

#include "runtime/cpu/batch.h"
#include "runtime/cpu/matrix_view.h"

#include <optional>
#include <span>

namespace algrt {

struct ProductCall {
  Map map = Map::Forward;
  int64_t rows = 0; // of x or dy, above 0
  // What the kernel is called with, in the order of cpuOperands (runtime/bundle/manifest.h); weights that
  // were packed as one row each.
  std::span<const algrt_memref2> operands;
  std::optional<size_t> packed_kernel; // that all weights were packed for; nothing where they are the user's
  BatchCall batch;
  int64_t kernel = -1; // -1 = choose
};

// The operands have been checked against the layer.
void runProduct(const CpuKernels &kernels, const Layer &layer, const ProductCall &call);

} // namespace algrt
