#include "algebras/cost/projection.h"

#include "algebras/checked.h"
#include "algebras/error.h"

#include <fmt/format.h>

namespace algebras::cost {

namespace {

void requireGroups(const Lift &lift, const Groups &in, const Groups &out) {
  if (in.count() != lift.inputGroups() || out.count() != lift.outputGroups())
    throw InputError(fmt::format("{} input and {} output groups, but the lift of {} has {} and {}",
                                 in.count(), out.count(), lift.algebra().name(), lift.inputGroups(),
                                 lift.outputGroups()));
}

constexpr const char *macs_counted = "the number of MACs";

__int128 diagonalMacs(const Groups &in, const Groups &out) {
  __int128 sum = 0;
  for (int64_t group = 0; group < in.count(); ++group)
    sum += static_cast<__int128>(in.width(group)) * out.width(group);
  return sum;
}

__int128 completeGraphRow(const Groups &in, const Groups &out, int64_t type, __int128 diagonal) {
  return diagonal + static_cast<__int128>(in.width(type)) * (out.total() - out.width(type));
}

// A transposed lift goes from the groups of Y to those of X; the block products are those of the lift itself.
__int128 completeGraphRow(const Lift &lift, const Groups &in, const Groups &out, int64_t type,
                          __int128 diagonal) {
  return lift.isTransposed() ? completeGraphRow(out, in, type, diagonal)
                             : completeGraphRow(in, out, type, diagonal);
}

// Terms of each type; of a product every tuple of types has as many as the product of its parts.
std::vector<int64_t> termCountsOfTypes(const Lift &lift) {
  std::vector<int64_t> counts;
  if (lift.factors().empty()) {
    for (int64_t type = 0; type < lift.types(); ++type)
      counts.push_back(lift.termCountOfType(type));
    return counts;
  }
  counts.push_back(1);
  for (const Lift &factor : lift.factors()) {
    std::vector<int64_t> next;
    for (int64_t high : counts)
      for (int64_t low : termCountsOfTypes(factor))
        next.push_back(checkedMultiply(high, low, "the number of terms"));
    counts = std::move(next);
  }
  return counts;
}

} // namespace

int64_t completeGraphRowMacs(const Groups &in, const Groups &out, int64_t type) {
  if (in.count() != out.count())
    throw InputError(
        fmt::format("{} input groups and {} output groups: Q(q) has as many", in.count(), out.count()));
  return checkedNarrow(completeGraphRow(in, out, type, diagonalMacs(in, out)), macs_counted);
}

int64_t rowMacs(const Lift &lift, const Groups &in, const Groups &out, int64_t type) {
  requireGroups(lift, in, out);
  if (lift.completeGraph())
    return lift.isTransposed() ? completeGraphRowMacs(out, in, type) : completeGraphRowMacs(in, out, type);
  __int128 sum = 0;
  for (int64_t group = 0; group < lift.outputGroups(); ++group)
    for (const BlockTerm &term : lift.terms(type, group))
      sum += static_cast<__int128>(in.width(term.input_group)) * out.width(group);
  return checkedNarrow(sum, macs_counted);
}

std::vector<int64_t> allRowMacs(const Lift &lift, const Groups &in, const Groups &out) {
  requireGroups(lift, in, out);
  std::vector<int64_t> result(lift.types());
  if (!lift.completeGraph() && in.isEqual() && out.isEqual()) { // all terms are alike
    result = termCountsOfTypes(lift);
    for (int64_t &terms : result)
      terms = checkedNarrow(static_cast<__int128>(in.width(0)) * out.width(0) * terms, macs_counted);
    return result;
  }
  if (!lift.completeGraph()) {
    for (int64_t type = 0; type < lift.types(); ++type)
      result[type] = rowMacs(lift, in, out, type);
    return result;
  }
  __int128 diagonal = diagonalMacs(in, out);
  for (int64_t type = 0; type < lift.types(); ++type)
    result[type] = checkedNarrow(completeGraphRow(lift, in, out, type, diagonal), macs_counted);
  return result;
}

int64_t batchMacs(const Lift &lift, const Groups &in, const Groups &out,
                  std::span<const int64_t> rows_of_type) {
  if (static_cast<int64_t>(rows_of_type.size()) != lift.types())
    throw InputError(fmt::format("row counts for {} types, but {} has {}", rows_of_type.size(),
                                 lift.algebra().name(), lift.types()));
  std::vector<int64_t> macs = allRowMacs(lift, in, out);
  int64_t sum = 0;
  for (size_t type = 0; type < macs.size(); ++type)
    sum = checkedAdd(sum, checkedMultiply(rows_of_type[type], macs[type], macs_counted), macs_counted);
  return sum;
}

int64_t denseMacs(int64_t m, int64_t k, int64_t n) {
  return checkedMultiply(m, checkedMultiply(k, n, macs_counted), macs_counted);
}

int64_t trainingMacs(int64_t forward) { return checkedMultiply(3, forward, macs_counted); }

Rational rho(int64_t q) {
  if (q < 1)
    throw InputError(fmt::format("Q({}): the size has to be at least 1", q));
  return (Rational(2) * Rational(q) - Rational(1)) / (Rational(q) * Rational(q));
}

Rational equalGroupFraction(const Lift &lift) {
  Rational groups(lift.inputGroups());
  // Of types * n^2 block products in the row lift; of m^2 in the slots lift, whose dense map has m^2 blocks.
  return Rational(lift.termCount()) / (Rational(lift.types()) * groups * groups);
}

} // namespace algebras::cost
