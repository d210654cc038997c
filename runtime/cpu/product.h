// One product of rows with the bank: cut into tasks, workers started.
#pragma once

#include "runtime/cpu/batch.h"
#include "runtime/cpu/matrix_view.h"

namespace algrt {

struct ProductCall {
  Map map = Map::forward;
  MatrixView rows, result;     // x and y, or dy and dx
  MatrixView bank;             // the user's; unused with packed weights
  MatrixView bias;             // of forward where the layer has one: one row
  const AlignedBuffer *packed; // or null
  int64_t packed_kernel = -1;  // the kernel that the bank was packed for
  BatchCall batch;
  int64_t kernel = -1; // -1 = choose
};

// The views have been checked against the layer; result.rows > 0.
void runProduct(const CpuKernels &kernels, const Layer &layer, const ProductCall &call);

} // namespace algrt
