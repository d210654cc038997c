// Idempotents of A/rad lift: if x^2 = x modulo a nilpotent ideal, so is 3x^2 - 2x^3 modulo its square. The
// lifts are made orthogonal one after another: with f the sum of those already lifted, (1-f) e (1-f) is
// idempotent modulo rad.
#include "algebras/structure/decomposition.h"
#include "algebras/structure/dense_decomposition.h"
#include "algebras/structure/product_operator.h"
#include "algebras/structure/sparse_product.h"

#include <algorithm>
#include <stdexcept>

namespace algebras {

namespace {

std::vector<SparseVector> lift(const SparseProduct &product, const SparseVector &one,
                               const std::vector<SparseVector> &diagonal) {
  SparseVector rest = one; // 1 - f
  std::vector<SparseVector> result;
  for (size_t index = 0; index + 1 < diagonal.size(); ++index) {
    SparseVector x = product.multiply(product.multiply(rest, diagonal[index]), rest);
    for (;;) {
      SparseVector square = product.multiply(x, x);
      if (square == x)
        break;
      x = product.combine(Rational(3), square, Rational(-2), product.multiply(square, x));
    }
    rest = product.combine(Rational(1), rest, Rational(-1), x);
    result.push_back(std::move(x));
  }
  if (!diagonal.empty())
    result.push_back(std::move(rest));
  return result;
}

// The same on integers with common denominators.
std::vector<SparseVector> liftDensely(const Table &table, const SparseVector &one,
                                      const std::vector<SparseVector> &diagonal) {
  ProductOperator product(table);
  Matrix rest = Matrix::fromSparse(table.field(), table.dimension(), one);
  std::vector<SparseVector> result;
  for (size_t index = 0; index + 1 < diagonal.size(); ++index) {
    Matrix e = Matrix::fromSparse(table.field(), table.dimension(), diagonal[index]);
    Matrix x = product.multiply(product.multiply(rest, e), rest);
    for (;;) {
      Matrix left = product.leftMatrix(x), square = x * left;
      if (square == x)
        break;
      x = square.scaled(Rational(3)) - (square * left).scaled(Rational(2));
    }
    rest = rest - x;
    result.push_back(x.sparseRow(0));
  }
  if (!diagonal.empty())
    result.push_back(rest.sparseRow(0));
  return result;
}

} // namespace

std::vector<SparseVector> liftIdempotents(const Table &table, const SparseVector &one,
                                          const std::vector<SparseVector> &orthogonal) {
  int64_t n = table.dimension();
  if (n <= largest_dense && table.nonzeros() >= n * n)
    return liftDensely(table, one, orthogonal);
  return lift(SparseProduct(table), one, orthogonal);
}

std::optional<std::vector<SparseVector>> primitiveIdempotents(const Algebra &algebra,
                                                              const Decomposition &decomposition) {
  std::vector<SparseVector> diagonal;
  for (const SimpleComponent &component : decomposition.components) {
    if (!component.matrix_degree ||
        *component.matrix_degree * *component.matrix_degree != component.dimension)
      return std::nullopt;
    int64_t d = *component.matrix_degree;
    if (d == 1)
      diagonal.push_back(component.idempotent);
    for (int64_t a = 0; d > 1 && a < d; ++a)
      diagonal.push_back(component.matrix_units[a * d + a]);
  }

  // Modulo nothing they are what is wanted.
  if (std::all_of(decomposition.radical_powers.begin(), decomposition.radical_powers.end(),
                  [](const auto &power) { return power.empty(); }))
    return diagonal;
  Table table = algebra.expand();
  std::optional<SparseVector> one = findIdentity(table);
  if (!one)
    throw std::logic_error("primitiveIdempotents: the algebra has no identity");
  return liftIdempotents(table, *one, diagonal);
}

} // namespace algebras
