#include "runtime/reference/random.h"

#include "runtime/numeric/bfloat16.h"
#include "runtime/support/parallel.h"

#include <cmath>

namespace algrt {

namespace {

// SplitMix64 (Steele, Lea, Flood 2014): value i depends on seed and i alone.
uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
  return value ^ (value >> 31);
}

// The sequence of one seed.
class Uniform {
public:
  // A uniform variable's standard deviation is half its width over sqrt 3.
  Uniform(double deviation, uint64_t seed)
      : half_width_(deviation * std::sqrt(3.0)), start_(mix(seed + 0x9e3779b97f4a7c15ull)) {}

  float operator[](int64_t i) const {
    const uint64_t bits = mix(start_ + uint64_t(i) * 0x9e3779b97f4a7c15ull);
    const double unit = double(bits >> 11) * 0x1p-53; // [0, 1)
    return float((2 * unit - 1) * half_width_);
  }

private:
  double half_width_;
  uint64_t start_;
};

} // namespace

std::vector<float> randomValues(int64_t count, double deviation, uint64_t seed) {
  const Uniform uniform(deviation, seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    values[size_t(i)] = uniform[i];
  return values;
}

void fillRandomBfloat16(std::span<uint16_t> values, double deviation, uint64_t seed, int threads) {
  const Uniform uniform(deviation, seed);
  runTasks(resolveThreads(threads), int64_t(values.size()), [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      values[size_t(i)] = toBfloat16(uniform[i]);
  });
}

void roundToBfloat16(std::vector<float> &values) {
  for (float &value : values)
    value = roundToBfloat16(value);
}

} // namespace algrt
