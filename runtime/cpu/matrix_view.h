// A matrix that somebody else owns: rows at a distance of `stride` elements, elements of a row side by side.
#pragma once

#include "runtime/kernel_abi.h"

#include <cstdint>

namespace algrt {

struct MatrixView {
  void *data = nullptr;
  int64_t rows = 0, columns = 0, stride = 0;
};

inline algrt_memref2 descriptor(const MatrixView &view) {
  return {view.data, view.data, 0, {view.rows, view.columns}, {view.stride, 1}};
}

inline algrt_memref1 descriptor(void *data, int64_t size) { return {data, data, 0, {size}, {1}}; }

} // namespace algrt
