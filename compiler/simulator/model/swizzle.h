// The permutation of 16-byte chunks that tensor copies and matrix descriptors share.
#pragma once

#include "compiler/simulator/model/tensor_map.h"

#include <cstdint>

namespace simulator {

// XOR on the bits of the shared memory address itself: the pattern hangs on no buffer, and repeats every 8
// rows of 128 bytes (4 and 2 where the span is 64 and 32).
inline int64_t swizzled(int64_t address, Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
    return address;
  case Swizzle::B32:
    return address ^ (address >> 3 & 0x10);
  case Swizzle::B64:
    return address ^ (address >> 3 & 0x30);
  case Swizzle::B128:
    return address ^ (address >> 3 & 0x70);
  }
  return address;
}

} // namespace simulator
