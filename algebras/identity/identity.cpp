#include "algebras/identity.h"

#include "algebras/error.h"
#include "algebras/identity/dense_identity.h"
#include "algebras/identity/propagation.h"
#include "algebras/identity/short_equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace algebras {

namespace {

constexpr int64_t dense_limit = 4096;

SparseVector sparse(const std::vector<Rational> &coefficients) {
  SparseVector result;
  for (size_t slot = 0; slot < coefficients.size(); ++slot)
    if (!coefficients[slot].isZero())
      result.emplace_back(static_cast<int64_t>(slot), coefficients[slot]);
  return result;
}

const Rational *coefficientOf(const SparseVector &vector, int64_t slot) {
  auto place = std::lower_bound(vector.begin(), vector.end(), slot,
                                [](const auto &entry, int64_t index) { return entry.first < index; });
  return place != vector.end() && place->first == slot ? &place->second : nullptr;
}

struct MatrixEntry {
  int64_t row, column;
  Rational value;
};

// Whether the summed entries are the identity matrix of order `dimension`.
bool isIdentityMatrix(const Field &field, std::vector<MatrixEntry> entries, int64_t dimension) {
  std::sort(entries.begin(), entries.end(), [](const MatrixEntry &a, const MatrixEntry &b) {
    return std::tie(a.row, a.column) < std::tie(b.row, b.column);
  });
  int64_t ones = 0;
  for (size_t first = 0; first < entries.size();) {
    const MatrixEntry &start = entries[first];
    Rational sum;
    for (; first < entries.size() && entries[first].row == start.row && entries[first].column == start.column;
         ++first)
      sum += entries[first].value;
    sum = field.reduce(sum);
    if (start.row != start.column ? !sum.isZero() : !sum.isOne())
      return false;
    ones += start.row == start.column;
  }
  return ones == dimension;
}

} // namespace

bool isIdentity(const Table &table, const SparseVector &candidate) {
  if (isDense(table))
    return isIdentityDense(table, candidate);
  std::vector<MatrixEntry> left, right;
  for (const Constant &constant : table.constants()) {
    if (const Rational *u = coefficientOf(candidate, constant.i))
      left.push_back({constant.j, constant.k, constant.value * *u});
    if (const Rational *u = coefficientOf(candidate, constant.j))
      right.push_back({constant.i, constant.k, constant.value * *u});
  }
  return isIdentityMatrix(table.field(), std::move(left), table.dimension()) &&
         isIdentityMatrix(table.field(), std::move(right), table.dimension());
}

std::optional<SparseVector> findIdentity(const Table &table) {
  if (table.claimedIdentity()) {
    SparseVector claimed = sparse(*table.claimedIdentity());
    if (isIdentity(table, claimed))
      return claimed;
  }
  if (std::optional<std::vector<Rational>> only = identityByShortEquations(table)) {
    SparseVector candidate = sparse(*only);
    return isIdentity(table, candidate) ? std::optional(candidate) : std::nullopt;
  }
  if (isDense(table) && (lacksIdentity(table, Side::Left) || lacksIdentity(table, Side::Right)))
    return std::nullopt;
  if (isDense(table))
    if (std::optional<SparseVector> guessed = guessIdentity(table))
      return guessed;
  IdentityEquations system = identityEquations(table);
  if (system.impossible)
    return std::nullopt;
  Propagated propagated = propagate(table.field(), table.dimension(), std::move(system.equations));
  if (propagated.contradictory)
    return std::nullopt;

  // What is left, in its own numbering. A two-sided identity is unique, as solveUnique asks.
  std::vector<int64_t> open, number(table.dimension(), -1);
  for (int64_t slot = 0; slot < table.dimension(); ++slot)
    if (!propagated.values[slot]) {
      number[slot] = static_cast<int64_t>(open.size());
      open.push_back(slot);
    }
  if (static_cast<int64_t>(open.size()) > dense_limit)
    throw InputError(fmt::format("the identity of {} needs {} equations solved at once; the limit is {}",
                                 table.name(), open.size(), dense_limit))
        .hint("a sparser basis, or an \"identity\" in the file, which is checked in linear time");
  if (!open.empty()) {
    for (Equation &equation : propagated.left)
      for (auto &term : equation.terms)
        term.first = number[term.first];
    std::optional<std::vector<Rational>> rest =
        solveUnique(table.field(), static_cast<int64_t>(open.size()), propagated.left);
    if (!rest)
      return std::nullopt;
    for (size_t index = 0; index < open.size(); ++index)
      propagated.values[open[index]] = std::move((*rest)[index]);
  }
  std::vector<Rational> all;
  for (std::optional<Rational> &value : propagated.values)
    all.push_back(std::move(*value));
  return sparse(all);
}

} // namespace algebras
