// bf16 as bit patterns: the upper half of a float.
#pragma once

#include <bit>
#include <cstdint>

namespace algrt {

inline float fromBfloat16(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

// Rounds to nearest, ties to even. NaN stays NaN (made quiet), overflow gives infinity.
inline uint16_t toBfloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return uint16_t((bits >> 16) | 0x40u);
  return uint16_t((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

inline float roundToBfloat16(float value) { return fromBfloat16(toBfloat16(value)); }

} // namespace algrt
