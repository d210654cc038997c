// Quaternion algebras by a commutative product and four corrections.
#pragma once

#include "algebras/rank/bilinear_algorithm.h"
#include "algebras/structure/product_operator.h"

#include <optional>
#include <vector>

namespace algebras {

// 1, i, j, i j with i^2 = a, j^2 = b, i j = -j i.
struct QuaternionBasis {
  Rational a, b;
  std::vector<SparseVector> elements;
};
// Of a noncommutative algebra of dimension four with this identity, in characteristic other than two, when it
// is one. -a and -b are squares, and then made 1, where a search through small elements finds such i and j.
std::optional<QuaternionBasis> quaternionBasis(const ProductOperator &product, const Matrix &one);

// k[u, v]/(u^2 + a, v^2 + b) in the basis 1, u, v, u v.
Table commutativeCompanion(const Field &field, const Rational &a, const Rational &b);

// In the basis 1, i, j, i j, from an algorithm for the companion. With P the companion's product the
// coefficients are 2 x_0 y_0 - P_0, P_1 + 2 b x_3 y_2, P_2 + 2 a x_1 y_3, P_3 - 2 x_2 y_1. For a = b = -1 the
// companion has four products, and these are the eight of Howell and Lafon (1975).
BilinearAlgorithm quaternionProducts(const Field &field, const Rational &a, const Rational &b,
                                     const BilinearAlgorithm &companion);

} // namespace algebras
