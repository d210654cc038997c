// Packing a weight matrix for the kernel that reads it packed.
#pragma once

#include "runtime/cpu/kernels.h"
#include "runtime/cpu/matrix_view.h"
#include "runtime/support/aligned_buffer.h"

namespace algrt {

// `weights` is layer.k x layer.weightColumns(). Throws std::bad_alloc.
AlignedBuffer packWeights(const CpuKernel &kernel, const Layer &layer, const MatrixView &weights,
                          int threads);
// The same into what packWeights has made for that kernel.
void repackWeights(const CpuKernel &kernel, const Layer &layer, const MatrixView &weights, int threads,
                   AlignedBuffer &packed);

} // namespace algrt
