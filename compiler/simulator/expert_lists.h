// The row lists of a product whose rows are divided among experts, as the kernel group_rows makes them.
#pragma once

#include "compiler/simulator/simulate.h"

#include <cstdint>
#include <vector>

namespace compiler {

/// Of the rows of Y, and of those of X, which are other ones where experts have their rows in a list.
struct ExpertLists {
  std::vector<int32_t> of_y, of_x;
};

/// From the definition, row by row: of each expert, one after another, the rows of each type. Rows that are
/// no expert's are in no list. Where the product gives no types, they are those of its positions, or of row r
/// of the batch that of p0 + r.
ExpertLists expertLists(const ProductOperands &product);

} // namespace compiler
