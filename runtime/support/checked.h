// Arithmetic on sizes that cannot wrap: throws Error(ALGRT_OUT_OF_MEMORY) naming what was being computed.
#pragma once

#include "runtime/support/error.h"

#include <cstdint>
#include <limits>

namespace algrt {

// What drivers and kernels count in 32 bits.
constexpr int64_t most_int32 = std::numeric_limits<int32_t>::max();

template <typename Integer> Integer checkedMultiply(Integer a, Integer b, const char *what) {
  Integer result;
  if (__builtin_mul_overflow(a, b, &result))
    throw Error(ALGRT_OUT_OF_MEMORY, std::string(what) + " does not fit 64 bits: " + std::to_string(a) +
                                         " times " + std::to_string(b));
  return result;
}

template <typename Integer> Integer checkedAdd(Integer a, Integer b, const char *what) {
  Integer result;
  if (__builtin_add_overflow(a, b, &result))
    throw Error(ALGRT_OUT_OF_MEMORY, std::string(what) + " does not fit 64 bits: " + std::to_string(a) +
                                         " plus " + std::to_string(b));
  return result;
}

// Of an array with such a shape, of elements of so many bytes.
template <typename Shape> size_t arrayBytes(const Shape &shape, int64_t element, const char *what) {
  for (const int64_t extent : shape)
    element = checkedMultiply(element, extent, what);
  return size_t(element);
}

template <typename Integer> constexpr Integer ceilDivide(Integer a, Integer b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

} // namespace algrt
