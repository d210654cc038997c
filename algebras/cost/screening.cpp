#include "algebras/cost/screening.h"

#include "algebras/error.h"
#include "algebras/rational_flint.h"

#include <flint/fmpz.h>
#include <fmt/format.h>

#include <algorithm>

namespace algebras::cost {

namespace {

void requireRate(const Rational &eta) {
  if (eta.sign() <= 0)
    throw InputError(
        fmt::format("eta = {}: the ratio of the effective rates has to be positive", eta.toString()));
}

// The least integer above a rational.
std::int64_t above(const Rational &value) {
  Rational floor;
  fmpz_fdiv_q(fmpq_numref(FlintAccess::get(floor)), fmpq_numref(FlintAccess::get(value)),
              fmpq_denref(FlintAccess::get(value)));
  std::optional<std::int64_t> result = (floor + Rational(1)).toInteger();
  if (!result)
    throw InputError("the size does not fit in 64 bits");
  return *result;
}

} // namespace

std::int64_t largestEfficientGroups(std::int64_t m, std::int64_t k, std::int64_t n, const LeafMinimum &leaf) {
  if (leaf.m < 1 || leaf.k < 1 || leaf.n < 1)
    throw InputError("the smallest efficient leaf has to be at least 1 along each axis");
  return std::min({m / leaf.m, k / leaf.k, n / leaf.n});
}

std::vector<std::int64_t> admissibleGroups(std::int64_t m, std::int64_t k, std::int64_t n,
                                           const LeafMinimum &leaf) {
  std::vector<std::int64_t> result;
  for (std::int64_t q = 1, most = largestEfficientGroups(m, k, n, leaf); q <= most; ++q)
    if (k % q == 0 && n % q == 0)
      result.push_back(q);
  return result;
}

bool paysOff(const Rational &rho, const Rational &eta, const Rational &delta) {
  requireRate(eta);
  return rho / eta + delta < Rational(1);
}

Rational breakEvenRate(const Rational &rho, const Rational &delta) {
  if (delta >= Rational(1))
    throw InputError(fmt::format("delta = {}: an overhead of the dense time or more leaves no speed-up",
                                 delta.toString()));
  return rho / (Rational(1) - delta);
}

std::int64_t sufficientGroups(const Rational &eta) {
  requireRate(eta);
  return above(Rational(2) / eta);
}

std::int64_t sufficientSide(std::int64_t b, const Rational &eta) {
  requireRate(eta);
  if (b < 1)
    throw InputError(fmt::format("blocks of side {}", b));
  std::optional<std::int64_t> side = (Rational(b) * Rational(above(Rational(2) / eta))).toInteger();
  if (!side)
    throw InputError("the side does not fit in 64 bits");
  return *side;
}

} // namespace algebras::cost
