// Polynomials in one element of an algebra.
#pragma once

#include "algebras/linear/polynomial.h"
#include "algebras/structure/product_operator.h"

#include <cstdint>

namespace algebras {

// The minimal polynomial of x over the ground field in a subalgebra with identity `one`, and 1, x, x^2, ...
// below its degree.
struct MinimalPolynomial {
  Polynomial polynomial; // monic
  Matrix powers;         // one row for each power
};
// `bound`: any number that the degree does not exceed. Costs `bound` products of a row by a matrix, and an
// echelon form.
MinimalPolynomial minimalPolynomial(const ProductOperator &product, const Matrix &x, const Matrix &one,
                                    int64_t bound);

// polynomial(x), given enough powers of x.
Matrix evaluate(const Polynomial &polynomial, const Matrix &powers);

} // namespace algebras
