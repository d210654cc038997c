// One product of rows with the bank: cut into tasks, scratch handed out, workers started.
#pragma once

#include "runtime/cpu/kernels.h"
#include "runtime/cpu/matrix_view.h"
#include "runtime/support/aligned_buffer.h"

namespace algrt {

struct ProductCall {
  Map map = Map::forward;
  MatrixView rows, result;        // x and y, or dy and dx
  MatrixView bank;                // the user's; unused with packed weights
  const AlignedBuffer *packed;    // or null
  int64_t packed_kernel = -1;     // the kernel that the bank was packed for
  const int32_t *types = nullptr; // explicit types
  int64_t p0 = 0;
  void *workspace = nullptr;
  size_t workspace_bytes = 0;
  int threads = 0;
  int64_t kernel = -1; // -1 = choose
};

// Bytes that runProduct needs for up to m rows, whatever it chooses.
size_t workspaceSize(const CpuKernels &kernels, const Layer &layer, int64_t m, int threads);

// The views have been checked against the layer; result.rows > 0.
void runProduct(const CpuKernels &kernels, const Layer &layer, const ProductCall &call);

} // namespace algrt
