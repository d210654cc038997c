#include "algebras/structure/minimal_polynomial.h"

#include "algebras/linear/echelon.h"

#include <stdexcept>

namespace algebras {

MinimalPolynomial minimalPolynomial(const ProductOperator &product, const Matrix &x, const Matrix &one,
                                    int64_t bound) {
  Matrix left = product.leftMatrix(x), powers = one, last = one;
  for (int64_t exponent = 1; exponent <= bound; ++exponent) {
    last = last * left;
    powers = powers.above(last);
  }
  // Columns are powers: the first one without a pivot depends on those before it.
  Echelon echelon = reducedEchelon(powers.transposed());
  int64_t degree = 0;
  while (degree < echelon.rank() && echelon.pivots[degree] == degree)
    ++degree;
  if (degree > bound)
    throw std::logic_error("minimalPolynomial: the degree exceeds its bound");
  Polynomial polynomial(degree + 1);
  for (int64_t exponent = 0; exponent < degree; ++exponent)
    polynomial[exponent] = product.field().reduce(-echelon.rows.get(exponent, degree));
  polynomial[degree] = Rational(1);
  return {std::move(polynomial), powers.rowRange(0, degree)};
}

Matrix evaluate(const Polynomial &polynomial, const Matrix &powers) {
  Matrix coefficients(powers.field(), 1, powers.rows());
  for (size_t exponent = 0; exponent < polynomial.size(); ++exponent)
    coefficients.set(0, static_cast<int64_t>(exponent), polynomial[exponent]);
  return coefficients * powers;
}

} // namespace algebras
