// The contraction of a projection with the weight matrix's index left open: dW = X^T dY, block by block.
#pragma once

#include "algebras/lift.h"

#include <cstdint>
#include <span>
#include <vector>

namespace algebras {

// One product of a block's gradient: rows of `type` add coefficient * x[input_group]^T dy[output_group].
struct WeightTerm {
  int64_t type = 0, input_group = 0, output_group = 0;
  Rational coefficient;
  bool operator==(const WeightTerm &) const = default;
};

// The terms of every block of the weight matrix. A term c x_k w_(b,j) of y_j, for rows of type t, is a term
// c x_k^T dy_j of the gradient of w_(b,j). Rows lift: block (b, j) takes part in output group j alone. Slots
// lift: block b takes part in all of them, and the weight matrix has one column of blocks.
class WeightTerms {
public:
  // Costs the lift's terms, in time and memory. The lift must not be transposed (std::logic_error).
  explicit WeightTerms(const Lift &lift);

  int64_t weightRows() const { return weight_rows_; }
  int64_t weightColumns() const { return weight_columns_; } // rows: output groups; slots: 1
  // Ascending type, then output group, then input group; empty where no type uses the block.
  std::span<const WeightTerm> of(int64_t weight_row, int64_t weight_column) const;

private:
  int64_t weight_rows_, weight_columns_;
  std::vector<int64_t> starts_; // of each block's terms, and the end of the last
  std::vector<WeightTerm> terms_;
};

} // namespace algebras
