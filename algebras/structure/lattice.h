// A lattice in an algebra over Q: a Z-basis and its structure constants.
#pragma once

#include "algebras/linear/integer_matrix.h"
#include "algebras/rational.h"
#include "algebras/structure/product_operator.h"

#include <cstdint>
#include <utility>

namespace algebras {

// An integer matrix over a positive denominator.
struct ScaledIntegers {
  IntegerMatrix numerators;
  Rational denominator;
};

class Lattice {
public:
  // The lattice that the rows span over Z, for rows that span a subalgebra over Q.
  Lattice(const ProductOperator &product, const Matrix &rows);

  int64_t dimension() const { return elements_.rows(); }
  // The basis, as rows.
  const Matrix &elements() const { return elements_; }
  // Of all structure constants together; 1 where the lattice is closed under the product.
  const Rational &denominator() const { return denominator_; }
  // The product of the basis elements, in terms of themselves.
  Table table() const;
  // The same modulo a prime that does not divide the denominator.
  Table modulo(uint64_t p) const;
  // In terms of the basis, of rows that lie in its span.
  Matrix coordinates(const Matrix &rows) const;

  // The rows of `change`, which is invertible over Q, become the basis: the lattice changes with it, unless
  // the change is unimodular.
  void changeBasis(const Matrix &change);
  // The rows, in terms of the basis, span the lattice from now on.
  void span(const Matrix &rows);
  // Another basis of the same lattice, with small constants: reduced (Lenstra, Lenstra, Lovasz) by the form
  // sum |x b_i|^2 + |b_i x|^2, where the norm makes the basis itself orthonormal, again and again as long as
  // the constants shrink.
  void reduce();

  // Row s, column (t, j): the coefficient of b_s v_t at v_j, where the v_t are the rows of `basis`.
  ScaledIntegers timesBasis(const Matrix &basis) const;

private:
  void gram(IntegerMatrix &result);

  Matrix elements_;
  // c[i,j,k] times the denominator: rows i, columns (j, k).
  IntegerMatrix constants_;
  Rational denominator_{1};
};

} // namespace algebras
