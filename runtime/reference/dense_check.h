// A dense product against sums in double precision, at sampled places: is the baseline the product that is
// meant?
#pragma once

#include <cstdint>

namespace algrt {

// y = x w, all bf16, row-major and compact: m x k, k x n, m x n. The relative L2 error over 2048 random
// outputs and the four corners; infinite where one of them is not finite. On `threads` threads (0 = all).
double sampledDenseError(int64_t m, int64_t k, int64_t n, const uint16_t *x, const uint16_t *w,
                         const uint16_t *y, uint64_t seed, int threads = 0);

} // namespace algrt
