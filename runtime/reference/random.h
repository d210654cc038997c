// Seeded random matrices, the same on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace algrt {

// `count` values, uniform with mean 0 and the given standard deviation.
std::vector<float> randomValues(int64_t count, double deviation, uint64_t seed);

// Every value rounded to bf16 and back.
void roundToBfloat16(std::vector<float> &values);

} // namespace algrt
