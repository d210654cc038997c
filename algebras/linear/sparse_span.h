// A subspace of sparse vectors that grows by one vector at a time, and remembers them.
#pragma once

#include "algebras/linear/sparse_vector.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace algebras {

// Rows are kept in the order in which they came; for small dimensions.
class SparseSpan {
public:
  explicit SparseSpan(const Field &field) : field_(field) {}

  int64_t dimension() const { return static_cast<int64_t>(basis_.size()); }
  // The vectors that were inserted and lay outside at that time.
  const std::vector<SparseVector> &basis() const { return basis_; }
  // Whether the vector lay outside; then it is a basis vector now.
  bool insert(const SparseVector &vector);
  bool contains(const SparseVector &vector) const { return reduce(vector).rest.empty(); }
  // In terms of basis(); nothing for a vector outside.
  std::optional<SparseVector> coordinates(const SparseVector &vector) const;

private:
  struct Reduced {
    SparseVector rest, coordinates;
  };
  Reduced reduce(const SparseVector &vector) const;

  Field field_;
  std::vector<SparseVector> basis_;
  // By leading index: a vector with leading entry 1, and its coordinates in terms of the basis.
  std::map<int64_t, Reduced> rows_;
};

// A basis of the x with sum_s x_s images[s] = 0.
std::vector<SparseVector> relations(const Field &field, const std::vector<SparseVector> &images);

} // namespace algebras
