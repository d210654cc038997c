// The contraction of a projection with the bank's index left open: dW = X^T dY, block by block.
#pragma once

#include "algebras/lift.h"

#include <cstdint>
#include <span>
#include <vector>

namespace algebras {

// One product of a block's gradient: rows of `type` add coefficient * x[input_group]^T dy[output_group].
struct BankTerm {
  std::int64_t type = 0, input_group = 0, output_group = 0;
  Rational coefficient;
  bool operator==(const BankTerm &) const = default;
};

// The terms of every block of the bank. A term c x_k w_(b,j) of y_j, for rows of type t, is a term
// c x_k^T dy_j of the gradient of w_(b,j). Rows lift: block (b, j) takes part in output group j alone. Slots
// lift: block b takes part in all of them, and the bank has one column of blocks.
class BankTerms {
public:
  // Costs the lift's terms, in time and memory. The lift must not be transposed (std::logic_error).
  explicit BankTerms(const Lift &lift);

  std::int64_t bankRows() const { return bank_rows_; }
  std::int64_t bankColumns() const { return bank_columns_; } // rows: output groups; slots: 1
  // Ascending type, then output group, then input group; empty where no type uses the block.
  std::span<const BankTerm> of(std::int64_t bank_row, std::int64_t bank_column) const;

private:
  std::int64_t bank_rows_, bank_columns_;
  std::vector<std::int64_t> starts_; // of each block's terms, and the end of the last
  std::vector<BankTerm> terms_;
};

} // namespace algebras
