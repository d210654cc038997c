// A matrix in CPU memory whose surroundings are watched.
#pragma once

#include "runtime/algrt.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/random.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace algrt::test {

// A matrix in either element type, with rows `stride` apart and a guard of recognisable values all around.
struct GuardedMatrix {
  GuardedMatrix(int64_t rows, int64_t columns, int64_t stride, bool bfloat16)
      : rows(rows), columns(columns), stride(stride), bfloat16(bfloat16) {
    wide.assign(bfloat16 ? 0 : size_t(rows * stride), guard());
    narrow.assign(bfloat16 ? size_t(rows * stride) : 0, toBfloat16(guard()));
    shape = {rows, columns};
    strides = {stride, 1};
    tensor.data = bfloat16 ? static_cast<void *>(narrow.data()) : static_cast<void *>(wide.data());
    tensor.device = {kDLCPU, 0};
    tensor.ndim = 2;
    tensor.dtype = bfloat16 ? DLDataType{kDLBfloat, 16, 1} : DLDataType{kDLFloat, 32, 1};
    tensor.shape = shape.data();
    tensor.strides = strides.data();
    tensor.byte_offset = 0;
  }
  GuardedMatrix(const GuardedMatrix &) = delete;

  static float guard() { return -12345; }
  float at(int64_t row, int64_t column) const {
    const size_t i = size_t(row * stride + column);
    return bfloat16 ? fromBfloat16(narrow[i]) : wide[i];
  }
  void set(int64_t row, int64_t column, float value) {
    const size_t i = size_t(row * stride + column);
    if (bfloat16)
      narrow[i] = toBfloat16(value);
    else
      wide[i] = value;
  }
  void fill(uint64_t seed, double deviation) {
    const std::vector<float> values = randomValues(rows * columns, deviation, seed);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        set(r, c, values[size_t(r * columns + c)]);
  }
  // What nothing computes: a result that was not written is seen.
  void poison() {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        set(r, c, std::numeric_limits<float>::quiet_NaN());
  }
  std::vector<float> values() const {
    std::vector<float> result;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        result.push_back(at(r, c));
    return result;
  }
  bool paddingUntouched() const {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = columns; c < stride; ++c)
        if (at(r, c) != (bfloat16 ? roundToBfloat16(guard()) : guard()))
          return false;
    return true;
  }

  int64_t rows, columns, stride;
  bool bfloat16;
  std::vector<float> wide;
  std::vector<uint16_t> narrow;
  std::vector<int64_t> shape, strides;
  DLTensor tensor;
};

} // namespace algrt::test
