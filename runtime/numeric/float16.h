// IEEE 754 binary16 as bit patterns.
#pragma once

#include <bit>
#include <cstdint>

namespace algrt {

// Exact: every value of binary16, subnormal ones included, is a float. NaN keeps its payload.
inline float fromFloat16(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu, mantissa = bits & 0x3ffu;
  if (exponent == 0) { // mantissa times 2^-24
    const float magnitude = float(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  if (exponent == 0x1fu)
    return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  return std::bit_cast<float>(sign | (exponent + 127 - 15) << 23 | mantissa << 13);
}

} // namespace algrt
