#include "algebras/structure/maximal_order.h"

#include "algebras/linear/subspace.h"
#include "algebras/structure/dense_decomposition.h"
#include "algebras/structure/radical.h"

#include <flint/fmpz_mat.h>
#include <flint/nmod_mat.h>

#include <cmath>
#include <stdexcept>

namespace algebras {

namespace {

// Residues as integers of least size.
Matrix lift(const Matrix &residues, uint64_t p) {
  Matrix result(Field(), residues.rows(), residues.columns());
  const Rational modulus(static_cast<int64_t>(p));
  for (int64_t row = 0; row < residues.rows(); ++row)
    for (int64_t column = 0; column < residues.columns(); ++column) {
      Rational value = residues.get(row, column);
      result.set(row, column, value + value > modulus ? value - modulus : value);
    }
  return result;
}

// The lattice basis of p L + (lifts of the subspace of L/pL), times 1 or 1/p, in terms of the basis of L.
Matrix liftedBasis(const Subspace &subspace, uint64_t p, const Rational &inside, const Rational &outside) {
  int64_t n = subspace.ambient();
  Matrix result = Matrix::identity(Field(), n).scaled(outside), rows = lift(subspace.basis(), p);
  for (size_t index = 0; index < subspace.pivots().size(); ++index)
    for (int64_t column = 0; column < n; ++column)
      result.set(subspace.pivots()[index], column, rows.get(static_cast<int64_t>(index), column) * inside);
  return result;
}

// The left order { x : x J in J } of the ideal J of the order that contains p and is `ideal` modulo p. It
// lies in 1/p times the order, and y/p is in it when y J lies in p J. Whether it is larger.
bool growToLeftOrder(Lattice &order, uint64_t p, const Subspace &ideal) {
  if (ideal.dimension() == 0) // J is p times the order
    return false;
  Rational prime(static_cast<int64_t>(p));
  ScaledIntegers products = order.timesBasis(liftedBasis(ideal, p, Rational(1), prime));
  if (!products.denominator.isOne())
    throw std::logic_error("maximizeAt: not a left ideal of the order");
  Matrix residues(Field::prime(p), products.numerators.rows(), products.numerators.columns());
  fmpz_mat_get_nmod_mat(residues.modular(), products.numerators.get());
  Subspace into(kernel(residues.transposed()));
  if (into.dimension() == 0)
    return false;
  order.changeBasis(liftedBasis(into, p, Rational(1) / prime, Rational(1)));
  if (!order.denominator().isOne())
    throw std::logic_error("maximizeAt: a left order that is not closed under the product");
  return true;
}

// rad + (1 - e) A, for e the idempotent of a component modulo the radical: a maximal ideal.
Subspace maximalIdeal(const ProductOperator &product, const Subspace &rad, const SparseVector &idempotent) {
  Matrix e = Matrix::fromSparse(product.field(), product.dimension(), idempotent);
  return Subspace(
      rad.basis().above(Matrix::identity(product.field(), product.dimension()) - product.leftMatrix(e)));
}

int64_t exactRoot(int64_t square) {
  auto root = static_cast<int64_t>(std::llround(std::sqrt(static_cast<double>(square))));
  if (root * root != square)
    throw std::logic_error("maximizeAt: a simple algebra over a finite field that is no matrix algebra");
  return root;
}

} // namespace

void makeOrder(Lattice &lattice, const Matrix &one) {
  Matrix identity = lattice.coordinates(one);
  bool contains_one = true;
  for (int64_t column = 0; column < identity.columns(); ++column)
    contains_one = contains_one && identity.get(0, column).isInteger();
  if (contains_one && lattice.denominator().isOne())
    return;
  Matrix multiples = Matrix::identity(Field(), lattice.dimension()).scaled(lattice.denominator());
  lattice.span(multiples.above(identity));
  if (!lattice.denominator().isOne())
    throw std::logic_error("makeOrder: not closed under the product");
}

std::vector<int64_t> maximizeAt(Lattice &order, uint64_t p, int64_t degree) {
  for (;;) {
    Table table = order.modulo(p);
    ProductOperator product(table);
    Subspace rad = radical(product);
    if (growToLeftOrder(order, p, rad))
      continue;
    Decomposition residue = decomposeDense(table, findIdentity(table).value());
    bool grown = false;
    if (residue.components.size() > 1)
      for (const SimpleComponent &component : residue.components)
        if ((grown = growToLeftOrder(order, p, maximalIdeal(product, rad, component.idempotent))))
          break;
    if (grown)
      continue;
    std::vector<int64_t> indices;
    for (const SimpleComponent &component : residue.components) {
      auto center = static_cast<int64_t>(component.center_polynomial.size()) - 1;
      int64_t matrices = exactRoot(component.dimension / center);
      if (degree % matrices != 0)
        throw std::logic_error("maximizeAt: an index that does not divide the degree");
      indices.push_back(degree / matrices);
    }
    return indices;
  }
}

} // namespace algebras
