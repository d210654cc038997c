// Bases in which an algebra has few products: adapted to primitive idempotents and to the powers of the
// radical.
#pragma once

#include "algebras/structure/decomposition.h"
#include "algebras/structure/product_operator.h"
#include "algebras/table/table.h"

#include <string>
#include <vector>

namespace algebras {

struct AdaptedBasis {
  std::vector<SparseVector> elements;
  Table table; // in this basis
  std::string rule;
};

// The table in the basis of these elements; nothing where they are none.
std::optional<Table> tableInBasis(const ProductOperator &product, const std::vector<SparseVector> &elements);

// With primitive idempotents e_i that are known: bases of the e_i A e_j, the idempotents among them, that go
// through the powers of the radical. For a local algebra in characteristic other than two also one whose
// generators are orthogonal under one coordinate of their products.
std::vector<AdaptedBasis> adaptedBases(const Algebra &algebra, const ProductOperator &product,
                                       const Decomposition &decomposition);

} // namespace algebras
