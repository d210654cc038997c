#include "algebras/cost/screening.h"

#include "algebras/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace algebras::cost {

int64_t largestEfficientGroups(int64_t m, int64_t k, int64_t n, const LeafMinimum &leaf) {
  if (leaf.m < 1 || leaf.k < 1 || leaf.n < 1)
    throw InputError("the smallest efficient leaf has to be at least 1 along each axis");
  return std::min({m / leaf.m, k / leaf.k, n / leaf.n});
}

Rational breakEvenRate(const Rational &rho, const Rational &delta) {
  if (delta >= Rational(1))
    throw InputError(fmt::format("delta = {}: an overhead of the dense time or more leaves no speed-up",
                                 delta.toString()));
  return rho / (Rational(1) - delta);
}

} // namespace algebras::cost
