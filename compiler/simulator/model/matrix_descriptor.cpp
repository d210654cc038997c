#include "compiler/simulator/model/matrix_descriptor.h"

#include <fmt/format.h>

namespace simulator {

MatrixDescriptor decodeDescriptor(uint64_t bits) {
  static constexpr Swizzle swizzles[] = {Swizzle::None, Swizzle::B128, Swizzle::B64, Swizzle::B32};
  auto field = [&](int low) { return int64_t(bits >> low & 0x3fff) << 4; };
  return {field(0), field(16), field(32), int32_t(bits >> 49 & 7), swizzles[bits >> 62]};
}

std::string checkDescriptor(uint64_t bits) {
  constexpr uint64_t reserved =
      uint64_t(3) << 14 | uint64_t(3) << 30 | uint64_t(7) << 46 | uint64_t(0x3ff) << 52;
  if (bits & reserved)
    return fmt::format("matrix descriptor {:#018x} sets bits that have no meaning ({:#018x})", bits,
                       bits & reserved);
  const MatrixDescriptor matrix = decodeDescriptor(bits);
  if (matrix.base_offset != 0)
    return fmt::format(
        "matrix descriptor {:#018x} has base offset {}: only operands aligned to their swizzle's pattern "
        "are modelled",
        bits, matrix.base_offset);
  const int64_t span = spanOf(matrix.swizzle);
  if (span != 0 && (matrix.start & (span * 8 - 1) & ~(span - 1)) != 0)
    return fmt::format(
        "matrix descriptor {:#018x} starts {} bytes into the {}-byte pattern of its swizzle, with base "
        "offset 0",
        bits, matrix.start & (span * 8 - 1), span * 8);
  return {};
}

} // namespace simulator
