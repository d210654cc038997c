// The 64-bit descriptor of a wgmma operand in shared memory (PTX: 9.7.15.5.1.2).
#pragma once

#include "compiler/simulator/model/swizzle.h"

#include <cstdint>
#include <string>

namespace simulator {

struct MatrixDescriptor {
  int64_t start;         // bytes, of 256 KiB
  int64_t leadingOffset; // bytes
  int64_t strideOffset;  // bytes
  int32_t baseOffset;
  Swizzle swizzle;
};

MatrixDescriptor decodeDescriptor(uint64_t bits);
// Empty, or why wgmma may not have it.
std::string checkDescriptor(uint64_t bits);

// The address of the 16 bytes that hold eight consecutive elements of a K = 16 operand of 16-bit elements: of
// row (M or N) `row`, chunk `chunk` (0 or 1) along K in K-major order; of chunk `chunk` along M or N, row
// `row` (0..15) along K in MN-major order. Before wrapping at 256 KiB.
inline int64_t chunkAddress(const MatrixDescriptor &matrix, bool mnMajor, int64_t row, int64_t chunk) {
  const int64_t span = spanOf(matrix.swizzle), eight = row / 8, within = row % 8;
  int64_t offset;
  if (matrix.swizzle == Swizzle::None)
    // Core matrices of eight rows of 16 bytes. In K-major order the leading offset goes along K, in MN-major
    // order along K too, in steps of eight, and the stride offset along M or N.
    offset = within * 16 + (mnMajor ? eight * matrix.leadingOffset + chunk * matrix.strideOffset
                                    : eight * matrix.strideOffset + chunk * matrix.leadingOffset);
  else if (mnMajor)
    // Spans of M or N, eight rows along K to an atom.
    offset = chunk * 16 / span * matrix.leadingOffset + chunk * 16 % span + within * span +
             eight * matrix.strideOffset;
  else
    offset = eight * matrix.strideOffset + within * span + chunk * 16;
  return swizzled(matrix.start + offset, matrix.swizzle);
}

} // namespace simulator
