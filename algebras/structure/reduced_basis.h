// A lattice in an algebra over Q, by a basis with small products.
#pragma once

#include "algebras/structure/product_operator.h"

namespace algebras {

struct ReducedBasis {
  Matrix elements; // rows
  Table product;   // of the elements, in terms of themselves
};

// A Z-basis of the lattice that the rows span over Z, for rows that span a subalgebra over Q. A dense change
// of basis hides short elements, such as zero divisors; it keeps the lattice where it is unimodular. So the
// basis is reduced (Lenstra, Lenstra, Lovasz) by the form sum |x b_i|^2 + |b_i x|^2, where the norm makes the
// basis itself orthonormal, again and again as long as the structure constants shrink. Which basis comes out
// proves nothing and decides nothing but where one looks first. Costs some products of dimension x dimension
// by dimension x dimension^2 matrices of integers.
ReducedBasis reducedBasis(const ProductOperator &product, const Matrix &rows);

} // namespace algebras
