// Exact associativity of a table.
#pragma once

#include "algebras/table/table.h"

#include <cstdint>
#include <optional>

namespace algebras {

// (b_i b_j) b_k and b_i (b_j b_k) differ in the coefficient of b_l.
struct Witness {
  std::int64_t i = 0, j = 0, k = 0, l = 0;
  bool operator==(const Witness &) const = default;
};

// The first witness in the order of (i, j, k, l), or nothing: then the table is associative, proved. Costs
// the number of pairs of constants that meet (2(3q^2 - 2q) for Q(q), 2*8^L for Q(2)^L), with the memory of
// one first index at a time.
std::optional<Witness> findNonassociative(const Table &table);

} // namespace algebras
