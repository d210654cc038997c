#include "algebras/linear/subspace.h"

namespace algebras {

std::vector<int64_t> Subspace::freeColumns() const {
  std::vector<int64_t> result;
  size_t next = 0;
  for (int64_t column = 0; column < ambient(); ++column)
    if (next < pivots_.size() && pivots_[next] == column)
      ++next;
    else
      result.push_back(column);
  return result;
}

Matrix Subspace::reduce(const Matrix &rows) const {
  if (dimension() == 0)
    return rows;
  return rows - rows.selectColumns(pivots_) * basis_;
}

std::vector<SparseVector> Subspace::sparseBasis() const {
  std::vector<SparseVector> result;
  for (int64_t row = 0; row < dimension(); ++row)
    result.push_back(basis_.sparseRow(row));
  return result;
}

Subspace sum(const Subspace &left, const Subspace &right) {
  return Subspace(left.basis().above(right.basis()));
}

Subspace intersection(const Subspace &left, const Subspace &right) {
  // x L = y R exactly when (x, y) is a relation between the rows of L and -R.
  Matrix relations = kernel(left.basis().above(right.basis().scaled(Rational(-1))).transposed());
  std::vector<int64_t> first(left.dimension());
  for (size_t index = 0; index < first.size(); ++index)
    first[index] = static_cast<int64_t>(index);
  return Subspace(relations.selectColumns(first) * left.basis());
}

} // namespace algebras
