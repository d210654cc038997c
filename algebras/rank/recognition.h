// Short bilinear algorithms for tables, from what their structure is recognised to be.
#pragma once

#include "algebras/rank/bilinear_algorithm.h"
#include "algebras/structure/decomposition.h"

#include <string>

namespace algebras {

struct RecognisedAlgorithm {
  BilinearAlgorithm products;
  std::string rule;
};

// Of an associative unital table with this identity, the shortest of:
// - the table's own products, in its basis and in one adapted to the radical and to primitive idempotents;
// - products over direct factors, which central idempotents give;
// - k[x]/(f), where one element generates a commutative algebra (polynomial_products.h);
// - pairs x_i y_j + x_j y_i by one product, (x_i + x_j)(y_i + y_j), in commutative algebras;
// - M_d over a smaller algebra, from lifted matrix units (matrix_multiplication.h);
// - quaternions: four products, and one commutative product of dimension four.
// Chance only decides which elements are tried. What comes back has been verified. For dimensions up to
// largest_recognised; beyond, the table's own products. `known`: the table's decomposition, where it has been
// found already.
RecognisedAlgorithm recognisedAlgorithm(const Table &table, const SparseVector &identity,
                                        const Decomposition *known = nullptr);
inline constexpr int64_t largest_recognised = 128;

// x_i y_j + x_j y_i by one product where the squares are there, or pay. Of a commutative table.
BilinearAlgorithm commutativeProducts(const Table &table);

} // namespace algebras
