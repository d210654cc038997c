#include "algebras/structure/quotient.h"

namespace algebras {

namespace {

void append(std::vector<Constant> &constants, int64_t first, const Matrix &products) {
  for (int64_t second = 0; second < products.rows(); ++second)
    for (int64_t output = 0; output < products.columns(); ++output)
      if (!products.isZeroAt(second, output))
        constants.push_back({first, second, output, products.get(second, output)});
}

} // namespace

Subspace center(const ProductOperator &product, const Matrix &generators) {
  // z commutes with 1 in any case.
  Matrix commutators(product.field(), product.dimension(), 0);
  for (int64_t index = 0; index < generators.rows(); ++index) {
    Matrix generator = generators.row(index);
    commutators = commutators.besides(product.rightMatrix(generator) - product.leftMatrix(generator));
  }
  if (commutators.isZero())
    return Subspace(Matrix::identity(product.field(), product.dimension()));
  return Subspace(kernel(commutators.transposed()));
}

Table quotientTable(const ProductOperator &product, const Subspace &ideal) {
  std::vector<int64_t> slots = ideal.freeColumns();
  std::vector<Constant> constants;
  for (size_t first = 0; first < slots.size(); ++first) {
    Matrix products = product.leftMatrix(product.unit(slots[first])).selectRows(slots);
    append(constants, static_cast<int64_t>(first), ideal.reduce(products).selectColumns(slots));
  }
  return Table("quotient", product.field(), static_cast<int64_t>(slots.size()), std::move(constants));
}

Table subalgebraTable(const ProductOperator &product, const Subspace &subalgebra) {
  std::vector<Constant> constants;
  for (int64_t first = 0; first < subalgebra.dimension(); ++first)
    append(constants, first,
           subalgebra.coordinates(subalgebra.basis() * product.leftMatrix(subalgebra.basis().row(first))));
  return Table("subalgebra", product.field(), subalgebra.dimension(), std::move(constants));
}

} // namespace algebras
