// A dense product against sums in double precision, at sampled places: is the baseline the product that is
// meant?
#pragma once

#include <cstdint>

namespace algrt {

// y = x w, all bf16, row-major and compact: m x k, k x n, m x n. What is transposed lies as its transpose
// does: x as k x m, w as n x k. Where there is a bias, n numbers, it is added to every row.
struct DenseCheckProblem {
  int64_t m, k, n;
  const uint16_t *x, *w, *y;
  bool x_transposed = false, w_transposed = false;
  const uint16_t *bias = nullptr;
};

// The relative L2 error over 2048 random outputs and the four corners; infinite where one of them is not
// finite. On `threads` threads (0 = all).
double sampledDenseError(const DenseCheckProblem &problem, uint64_t seed, int threads = 0);

} // namespace algrt
