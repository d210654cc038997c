#include "runtime/reference/random.h"

#include "runtime/numeric/bfloat16.h"

#include <cmath>

namespace algrt {

namespace {

// SplitMix64 (Steele, Lea, Flood 2014): value i depends on seed and i alone.
uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
  return value ^ (value >> 31);
}

} // namespace

std::vector<float> randomValues(int64_t count, double deviation, uint64_t seed) {
  std::vector<float> values(static_cast<size_t>(count));
  const double half_width =
      deviation * std::sqrt(3.0); // a uniform variable's standard deviation is that over sqrt 3
  const uint64_t start = mix(seed + 0x9e3779b97f4a7c15ull);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = mix(start + uint64_t(i) * 0x9e3779b97f4a7c15ull);
    const double unit = double(bits >> 11) * 0x1p-53; // [0, 1)
    values[i] = float((2 * unit - 1) * half_width);
  }
  return values;
}

void roundToBfloat16(std::vector<float> &values) {
  for (float &value : values)
    value = roundToBfloat16(value);
}

} // namespace algrt
