// Reduced echelon forms of sparse vectors.
#pragma once

#include "algebras/field.h"
#include "algebras/identity.h" // SparseVector

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace algebras {

// Vectors are inserted one by one. Fill-in is what makes this slow: the budget bounds the number of
// operations.
class SparseEchelon {
public:
  SparseEchelon(const Field &field, int64_t budget) : field_(field), budget_(budget) {}

  // False when the budget is spent: then nothing is known any more.
  bool insert(const SparseVector &vector);
  int64_t rank() const { return static_cast<int64_t>(rows_.size()); }
  // The reduced echelon basis: leading entries 1, ascending leading slots. Nothing when the budget is spent.
  std::optional<std::vector<SparseVector>> basis();

private:
  using Sums = std::map<int64_t, Rational>;
  // Subtracts multiples of rows from what stands at their leading slots, from `first` on.
  bool reduce(Sums &sums, Sums::iterator first);
  bool spend(int64_t operations) { return (budget_ -= operations) >= 0; }

  Field field_;
  int64_t budget_;
  std::map<int64_t, SparseVector> rows_; // by leading slot, leading entry 1
};

} // namespace algebras
