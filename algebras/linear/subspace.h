// Subspaces of row vectors, each by its reduced echelon basis.
#pragma once

#include "algebras/linear/echelon.h"

namespace algebras {

class Subspace {
public:
  // The span of the rows.
  explicit Subspace(const Matrix &rows) : Subspace(reducedEchelon(rows)) {}
  explicit Subspace(Echelon echelon) : basis_(std::move(echelon.rows)), pivots_(std::move(echelon.pivots)) {}

  const Field &field() const { return basis_.field(); }
  int64_t dimension() const { return basis_.rows(); }
  int64_t ambient() const { return basis_.columns(); }
  const Matrix &basis() const { return basis_; }
  const std::vector<int64_t> &pivots() const { return pivots_; }
  // The other columns: they are coordinates of the quotient space.
  std::vector<int64_t> freeColumns() const;

  // Each row minus its part in the subspace: zero at the pivots. One product of matrices.
  Matrix reduce(const Matrix &rows) const;
  bool contains(const Matrix &rows) const { return reduce(rows).isZero(); }
  // Of rows that lie in the subspace: in its basis these are their entries at the pivots.
  Matrix coordinates(const Matrix &rows) const { return rows.selectColumns(pivots_); }

  // Each basis vector as a sparse one.
  std::vector<SparseVector> sparseBasis() const;

private:
  Matrix basis_;
  std::vector<int64_t> pivots_;
};

Subspace sum(const Subspace &left, const Subspace &right);
Subspace intersection(const Subspace &left, const Subspace &right);

} // namespace algebras
