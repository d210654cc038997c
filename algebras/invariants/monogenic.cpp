#include "algebras/invariants/monogenic.h"

#include "algebras/invariants/fields.h"
#include "algebras/invariants/pair_off.h"
#include "algebras/structure/minimal_polynomial.h"
#include "algebras/structure/product_operator.h"

#include <random>

namespace algebras {

namespace {

constexpr int trials = 24;

} // namespace

std::optional<Monogenic> findGenerator(const Table &table, const SparseVector &identity) {
  int64_t n = table.dimension();
  ProductOperator product(table);
  Matrix one = Matrix::fromSparse(table.field(), n, identity);
  std::mt19937_64 random(1);
  for (int64_t trial = 0; trial < n + trials; ++trial) {
    Matrix x(table.field(), 1, n);
    for (int64_t slot = 0; slot < n; ++slot)
      x.set(0, slot, trial < n ? Rational(slot == trial) : Rational(static_cast<int64_t>(random() % 5) - 2));
    MinimalPolynomial minimal = minimalPolynomial(product, x, one, n);
    if (degree(minimal.polynomial) == n)
      return Monogenic{x.sparseRow(0), minimal.polynomial, factor(table.field(), minimal.polynomial)};
  }
  return std::nullopt;
}

std::optional<bool> areIsomorphic(const Field &field, const Monogenic &left, const Monogenic &right) {
  return pairOff(left.factors.size(), right.factors.size(), [&](size_t i, size_t j) -> std::optional<bool> {
    if (left.factors[i].multiplicity != right.factors[j].multiplicity)
      return false;
    return sameField(field, left.factors[i].factor, right.factors[j].factor);
  });
}

} // namespace algebras
