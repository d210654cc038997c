// The 64-bit descriptor of a wgmma operand in shared memory (PTX: 9.7.15.5.1.2).
#pragma once

#include "compiler/simulator/model/swizzle.h"

#include <cstdint>
#include <string>

namespace simulator {

struct MatrixDescriptor {
  int64_t start;          // bytes, of 256 KiB
  int64_t leading_offset; // bytes
  int64_t stride_offset;  // bytes
  int32_t base_offset;
  Swizzle swizzle;
};

MatrixDescriptor decodeDescriptor(uint64_t bits);
// Empty, or why wgmma may not have it.
std::string checkDescriptor(uint64_t bits);

// The address of the 16 bytes that hold eight consecutive elements of a K = 16 operand of 16-bit elements: of
// row (M or N) `row`, chunk `chunk` (0 or 1) along K in K-major order; of chunk `chunk` along M or N, row
// `row` (0..15) along K in MN-major order. Before wrapping at 256 KiB.
inline int64_t chunkAddress(const MatrixDescriptor &matrix, bool mn_major, int64_t row, int64_t chunk) {
  const int64_t span = spanOf(matrix.swizzle), eight = row / 8, within = row % 8;
  int64_t offset;
  if (matrix.swizzle == Swizzle::None)
    // Core matrices of eight rows of 16 bytes. In K-major order the leading offset goes along K, in MN-major
    // order along K too, in steps of eight, and the stride offset along M or N.
    offset = within * 16 + (mn_major ? eight * matrix.leading_offset + chunk * matrix.stride_offset
                                     : eight * matrix.stride_offset + chunk * matrix.leading_offset);
  else if (mn_major)
    // Spans of M or N, eight rows along K to an atom.
    offset = chunk * 16 / span * matrix.leading_offset + chunk * 16 % span + within * span +
             eight * matrix.stride_offset;
  else
    offset = eight * matrix.stride_offset + within * span + chunk * 16;
  return swizzled(matrix.start + offset, matrix.swizzle);
}

} // namespace simulator
