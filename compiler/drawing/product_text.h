// Products and sums of slots in writing.
#pragma once

#include "algebras/algebra.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace compiler {

// "a - 3/2 b + c"; "0" for nothing.
std::string sumText(const std::vector<std::pair<algebras::Rational, std::string>> &summands);

// "x[e0] w[a0_1] + x[a0_1] w[e1]": the terms that are summed into one output slot.
std::string outputTerms(const algebras::Algebra &algebra, int64_t slot);

// The names of all slots, and short ones by number, "b5", for where those would be too wide.
std::vector<std::string> slotNames(const algebras::Algebra &algebra);
std::vector<std::string> slotNumbers(const algebras::Algebra &algebra);

// entries[i][j] is slot i times slot j, written with these names. For dimensions up to largest_product_table.
constexpr int64_t largest_product_table = 64;
std::vector<std::vector<std::string>> productTable(const algebras::Algebra &algebra,
                                                   const std::vector<std::string> &names);

} // namespace compiler
