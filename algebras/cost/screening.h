// Whether a subdivision can pay off (paper, eqs. hardware-q and crossover).
#pragma once

#include "algebras/rational.h"

#include <cstdint>

namespace algebras::cost {

struct LeafMinimum {
  int64_t m = 128, k = 128, n = 128; // the smallest efficient leaf GEMM
};

// The largest q with q <= min(M/m0, K/k0, N/n0), eq. hardware-q; 0 when even q = 1 is too small.
int64_t largestEfficientGroups(int64_t m, int64_t k, int64_t n, const LeafMinimum &leaf);
// rho / eta + delta < 1 (eq. crossover) is a speed-up in a compute-dominated model, where eta is the
// algebra's effective rate over the dense one and delta the overhead over the dense time: for any eta above
// rho / (1 - delta). InputError unless delta < 1.
Rational breakEvenRate(const Rational &rho, const Rational &delta);

} // namespace algebras::cost
