// Seeded random matrices, the same on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace algrt {

// `count` values, uniform with mean 0 and the given standard deviation.
std::vector<float> randomValues(int64_t count, double deviation, uint64_t seed);

// The same values rounded to bf16, computed on `threads` threads (0 = all).
void fillRandomBfloat16(std::span<uint16_t> values, double deviation, uint64_t seed, int threads = 0);

// Every value rounded to bf16 and back.
void roundToBfloat16(std::vector<float> &values);

} // namespace algrt
