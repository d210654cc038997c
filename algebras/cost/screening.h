// Whether a subdivision can pay off (paper, eqs. hardware-q and crossover).
#pragma once

#include "algebras/rational.h"

#include <cstdint>
#include <vector>

namespace algebras::cost {

struct LeafMinimum {
  std::int64_t m = 128, k = 128, n = 128; // the smallest efficient leaf GEMM
};

// The largest q with q <= min(M/m0, K/k0, N/n0), eq. hardware-q; 0 when even q = 1 is too small.
std::int64_t largestEfficientGroups(std::int64_t m, std::int64_t k, std::int64_t n, const LeafMinimum &leaf);
// The q up to that bound which divide both K and N, ascending.
std::vector<std::int64_t> admissibleGroups(std::int64_t m, std::int64_t k, std::int64_t n,
                                           const LeafMinimum &leaf);

// rho / eta + delta < 1, eq. crossover: a speed-up in a compute-dominated model. eta is the algebra's
// effective rate over the dense one and positive, delta the overhead over the dense time.
bool paysOff(const Rational &rho, const Rational &eta, const Rational &delta);
// The least eta for which it pays off is any above rho / (1 - delta). InputError unless delta < 1.
Rational breakEvenRate(const Rational &rho, const Rational &delta);
// q > 2/eta suffices without overhead: the least such q.
std::int64_t sufficientGroups(const Rational &eta);
// n > 2b/eta suffices along the fixed-block family: the least such multiple of b.
std::int64_t sufficientSide(std::int64_t b, const Rational &eta);

} // namespace algebras::cost
