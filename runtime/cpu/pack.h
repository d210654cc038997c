// Packing a weight matrix for the kernel that reads it packed.
#pragma once

#include "runtime/cpu/kernels.h"
#include "runtime/cpu/matrix_view.h"
#include "runtime/support/aligned_buffer.h"

namespace algrt {

// Weights of layer `number` of the kernel, whose elements are of that type, a matrix of its shape. Throws
// std::bad_alloc.
AlignedBuffer packWeights(const CpuKernel &kernel, size_t number, ElementType type, const MatrixView &weights,
                          int threads);
// The same into what packWeights has made for that kernel and layer.
void repackWeights(const CpuKernel &kernel, size_t number, ElementType type, const MatrixView &weights,
                   int threads, AlignedBuffer &packed);

} // namespace algrt
