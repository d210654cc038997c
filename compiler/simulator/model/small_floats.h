// 16-bit floats as bits.
#pragma once

#include "runtime/numeric/bfloat16.h"
#include "runtime/numeric/float16.h"

#include <cstdint>

namespace simulator {

inline float fromHalf(uint16_t bits, bool f16) {
  return f16 ? algrt::fromFloat16(bits) : algrt::fromBfloat16(bits);
}

} // namespace simulator
