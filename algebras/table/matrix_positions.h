// Tables whose slots sit at positions of a matrix, whatever they are called.
#pragma once

#include "algebras/algebra.h"
#include "algebras/table/table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// Where every slot is: (i,k) times (k,j) is a multiple of (i,j), or zero, and every other product is zero.
// Positions (j,j) exist for all j, in the order of their slots, and neither (i,i) times (i,j) nor (i,j) times
// (j,j) is zero.
class MatrixPositions {
public:
  // Nothing where the slots sit at no such positions. Costs the constants, and little more.
  static std::optional<MatrixPositions> of(const Table &table);

  int64_t order() const { return static_cast<int64_t>(diagonal_.size()); }
  Position position(int64_t slot) const { return positions_[slot]; }
  std::optional<int64_t> slotAt(Position position) const;
  // The k, ascending, for which (i,k) times (k,j) is not zero.
  std::vector<int64_t> support(int64_t i, int64_t j) const;

  // Rows with the same supports and the same constants in all columns are of one type; types keep the order
  // of their first row.
  int64_t types() const { return static_cast<int64_t>(first_rows_.size()); }
  int64_t typeOf(int64_t row) const { return types_of_rows_[row]; }
  int64_t firstRowOf(int64_t type) const { return first_rows_[type]; }

private:
  // A constant that is not zero, as the row of its result finds it.
  struct Term {
    int64_t column, middle;
    Rational value;
    bool operator==(const Term &) const = default;
  };

  bool place(const Table &table);
  bool hasUnits(const Table &table) const;
  void sortTerms(const Table &table);
  void findTypes();

  std::vector<Position> positions_;        // of slots
  std::vector<int64_t> diagonal_;          // the slot at (j,j)
  std::vector<int64_t> by_place_;          // slots in the order of rows, then columns
  std::vector<std::vector<Term>> of_rows_; // sorted
  std::vector<int64_t> types_of_rows_, first_rows_;
};

} // namespace algebras
