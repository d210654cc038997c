// 16-bit floats as bits.
#pragma once

#include <bit>
#include <cstdint>

namespace simulator {

inline float fromBf16(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

// By arithmetic: a conversion instruction is not on every machine.
inline float fromF16(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00) // infinity, NaN
    return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  // The magnitude's bits as an f32 are 2^112 too small, for subnormals too.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(scaled));
}

inline float fromHalf(uint16_t bits, bool f16) { return f16 ? fromF16(bits) : fromBf16(bits); }

} // namespace simulator
