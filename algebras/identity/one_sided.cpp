// Left and right identities: linear systems with any number of solutions.
#include "algebras/identity/one_sided.h"

#include "algebras/identity/dense_identity.h"
#include "algebras/identity/propagation.h"
#include "algebras/linear/echelon.h"

namespace algebras {

namespace {

constexpr int64_t most_unknowns = 512;
constexpr size_t longest = size_t{1} << 20;

std::optional<SparseVector> findOneSided(const Table &table, Side side) {
  if (isDense(table) && lacksIdentity(table, side))
    return std::nullopt;
  IdentityEquations system = identityEquations(table, side);
  if (system.impossible)
    return std::nullopt;
  Propagated propagated = propagate(table.field(), table.dimension(), std::move(system.equations));
  if (propagated.contradictory)
    return std::nullopt;
  // Unknowns that no equation is left for are free: zero.
  std::vector<int64_t> open, number(table.dimension(), -1);
  for (const Equation &equation : propagated.left)
    for (const auto &[unknown, coefficient] : equation.terms)
      if (number[unknown] < 0) {
        number[unknown] = static_cast<int64_t>(open.size());
        open.push_back(unknown);
      }
  if (static_cast<int64_t>(open.size()) > most_unknowns)
    return std::nullopt;
  if (!open.empty()) {
    auto rows = static_cast<int64_t>(propagated.left.size());
    Matrix matrix(table.field(), rows, static_cast<int64_t>(open.size())), right(table.field(), rows, 1);
    for (int64_t row = 0; row < rows; ++row) {
      for (const auto &[unknown, coefficient] : propagated.left[row].terms)
        matrix.set(row, number[unknown], coefficient);
      right.set(row, 0, propagated.left[row].right);
    }
    std::optional<Matrix> solution = solve(matrix, right);
    if (!solution)
      return std::nullopt;
    for (size_t index = 0; index < open.size(); ++index)
      propagated.values[open[index]] = solution->get(static_cast<int64_t>(index), 0);
  }
  SparseVector result;
  for (int64_t slot = 0; slot < table.dimension(); ++slot)
    if (propagated.values[slot] && !propagated.values[slot]->isZero())
      result.emplace_back(slot, *propagated.values[slot]);
  return result;
}

// Both identities, with `find` for tables.
template <typename Find> std::optional<SparseVector> ofProduct(const Algebra &algebra, Find find) {
  bool is_tensor = algebra.kind() == Algebra::Kind::Tensor;
  SparseVector result;
  if (is_tensor)
    result = {{0, Rational(1)}};
  int64_t start = 0;
  for (const Algebra &factor : algebra.factors()) {
    std::optional<SparseVector> own = find(factor);
    if (!own)
      return std::nullopt;
    SparseVector next;
    if (is_tensor) {
      for (const auto &[i, a] : result)
        for (const auto &[j, b] : *own)
          next.emplace_back(i * factor.dimension() + j, algebra.field().multiply(a, b));
    } else {
      next = std::move(result);
      for (const auto &[slot, value] : *own)
        next.emplace_back(start + slot, value);
    }
    if (next.size() > longest)
      return std::nullopt;
    result = std::move(next);
    start += factor.dimension();
  }
  return result;
}

template <typename Find> std::optional<SparseVector> ofAlgebra(const Algebra &algebra, Find find) {
  if (const Table *table = algebra.table())
    return find(*table);
  if (algebra.factors().empty()) // unital: this side is no news
    return algebra.dimension() <= static_cast<int64_t>(longest) ? findIdentity(algebra.expand())
                                                                : std::nullopt;
  return ofProduct(algebra, [&](const Algebra &factor) { return ofAlgebra(factor, find); });
}

} // namespace

std::optional<SparseVector> findLeftIdentity(const Table &table) { return findOneSided(table, Side::Left); }
std::optional<SparseVector> findRightIdentity(const Table &table) { return findOneSided(table, Side::Right); }

std::optional<SparseVector> leftIdentity(const Algebra &algebra) {
  return ofAlgebra(algebra, [](const Table &table) { return findLeftIdentity(table); });
}
std::optional<SparseVector> rightIdentity(const Algebra &algebra) {
  return ofAlgebra(algebra, [](const Table &table) { return findRightIdentity(table); });
}

} // namespace algebras
