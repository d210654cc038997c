// Weights of several networks, for calls on the CPU.
#pragma once

#include "tests/runtime/cpu_product.h"

#include <vector>

namespace algrt::test {

// The weights of experts one below the other, as matrices of their own, or as one with three dimensions.
struct ExpertWeights {
  ExpertWeights(int64_t experts, int64_t rows, int64_t columns, int64_t stride, uint64_t seed)
      : all(experts * rows, columns, stride, false), shape{experts, rows, columns},
        strides{rows * stride, stride, 1}, tensor(all.tensor) {
    all.fill(seed, 0.3);
    tensor.ndim = 3;
    tensor.shape = shape.data();
    tensor.strides = strides.data();
  }
  DLTensor of(int64_t expert) {
    own_shape = {shape[1], shape[2]};
    DLTensor one = all.tensor;
    one.shape = own_shape.data();
    one.byte_offset += uint64_t(expert * strides[0]) * sizeof(float);
    return one;
  }

  GuardedMatrix all;
  std::vector<int64_t> shape, strides, own_shape;
  DLTensor tensor;
};

} // namespace algrt::test
