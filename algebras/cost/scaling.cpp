#include "algebras/cost/scaling.h"

#include "algebras/checked.h"
#include "algebras/cost/projection.h"
#include "algebras/error.h"

#include <fmt/format.h>

namespace algebras::cost {

namespace {

void requireDivides(std::int64_t part, std::int64_t n, const char *name) {
  if (n < 1 || part < 1 || n % part != 0)
    throw InputError(fmt::format("{} = {} does not divide the side {}", name, part, n));
}

std::int64_t narrow(const Rational &value) {
  if (std::optional<std::int64_t> result = value.toInteger())
    return *result;
  throw InputError("the number of MACs does not fit in 64 bits");
}

} // namespace

std::int64_t squareMacs(std::int64_t n, std::int64_t q) {
  requireDivides(q, n, "q");
  Rational block(n / q);
  return narrow((Rational(2) * Rational(q) * Rational(q) - Rational(q)) * block * block * block);
}

std::int64_t fixedBlockMacs(std::int64_t n, std::int64_t b) {
  requireDivides(b, n, "b");
  Rational side(n), block(b);
  return narrow(Rational(2) * block * side * side - block * block * side);
}

std::int64_t squareRankLower(std::int64_t n, std::int64_t q) {
  requireDivides(q, n, "q");
  return narrow(Rational(2) * Rational(n) * Rational(n) - Rational(q));
}

Rational rectangularMacs(std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t q) {
  return rho(q) * Rational(m) * Rational(k) * Rational(n);
}

} // namespace algebras::cost
