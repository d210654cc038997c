// A bundle that closes itself, and compact f32 matrices in CPU memory, for tests of the C interface.
#pragma once

#include "runtime/algrt.h"

#include <array>
#include <vector>

namespace algrt::test {

struct CloseBundle {
  void operator()(algrt_bundle *bundle) const { algrt_bundle_close(bundle); }
};

struct Matrix {
  Matrix(int64_t rows, int64_t columns) : shape{rows, columns}, values(size_t(rows * columns), 1.0f) {
    tensor.data = values.data();
    tensor.device = {kDLCPU, 0};
    tensor.ndim = 2;
    tensor.dtype = {kDLFloat, 32, 1};
    tensor.shape = shape.data();
  }
  Matrix(const Matrix &) = delete;
  std::array<int64_t, 2> shape;
  std::vector<float> values;
  DLTensor tensor{};
};

} // namespace algrt::test
