#include "algebras/cost/recursive.h"

#include "algebras/checked.h"
#include "algebras/error.h"

#include <fmt/format.h>

#include <bit>

namespace algebras::cost {

namespace {

void requireGroups(std::int64_t levels, const Groups &in, const Groups &out) {
  if (levels < 1 || levels > 20)
    throw InputError(fmt::format("{} levels: between 1 and 20 are counted", levels));
  std::int64_t groups = std::int64_t{1} << levels;
  if (in.count() != groups || out.count() != groups)
    throw InputError(fmt::format("{} input and {} output groups; {} levels have {}", in.count(), out.count(),
                                 levels, groups));
}

Rational power(const Rational &base, std::int64_t exponent) {
  Rational result(1);
  for (std::int64_t step = 0; step < exponent; ++step)
    result *= base;
  return result;
}

} // namespace

std::int64_t recursiveRowMacs(std::int64_t levels, const Groups &in, const Groups &out, std::int64_t alpha) {
  requireGroups(levels, in, out);
  std::int64_t groups = std::int64_t{1} << levels;
  if (alpha < 0 || alpha >= groups)
    throw InputError(fmt::format("row type {}: the types are 0 to {}", alpha, groups - 1));
  __int128 sum = 0;
  for (std::int64_t delta = 0; delta < groups; ++delta) {
    // beta agrees with alpha, and so with delta, where these agree; elsewhere it is free: alpha with any of
    // the bits of alpha ^ delta flipped.
    std::int64_t free = alpha ^ delta, flipped = free;
    for (;;) {
      sum += static_cast<__int128>(in.width(alpha ^ flipped)) * out.width(delta);
      if (flipped == 0)
        break;
      flipped = (flipped - 1) & free;
    }
  }
  return checkedNarrow(sum, "the number of MACs");
}

Rational recursiveMeanMacs(std::int64_t levels, const Groups &in, const Groups &out) {
  requireGroups(levels, in, out);
  std::int64_t groups = std::int64_t{1} << levels;
  Rational sum;
  for (std::int64_t beta = 0; beta < groups; ++beta)
    for (std::int64_t delta = 0; delta < groups; ++delta) {
      int distance = std::popcount(static_cast<std::uint64_t>(beta ^ delta));
      sum += Rational(in.width(beta)) * Rational(out.width(delta)) / Rational(std::int64_t{1} << distance);
    }
  return sum;
}

Rational meanMacs(const Lift &lift, const Groups &in, const Groups &out) {
  Rational sum;
  for (std::int64_t type = 0; type < lift.types(); ++type)
    for (std::int64_t group = 0; group < lift.outputGroups(); ++group)
      for (const BlockTerm &term : lift.terms(type, group))
        sum += Rational(in.width(term.input_group)) * Rational(out.width(group));
  return sum / Rational(lift.types());
}

Rational recursiveFraction(std::int64_t levels) {
  if (levels < 0 || levels > 64)
    throw InputError(fmt::format("{} levels: between 0 and 64 are counted", levels));
  return power(Rational(3, 4), levels);
}

std::int64_t recursiveProducts(std::int64_t levels) {
  if (levels < 0)
    throw InputError(fmt::format("{} levels", levels));
  return checkedPower(6, levels, "the number of products");
}

} // namespace algebras::cost
