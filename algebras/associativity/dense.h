// Associativity of dense tables with large coefficients, by products of matrices modulo primes.
#pragma once

#include "algebras/associativity.h"

#include <vector>

namespace algebras {

// A witness whose second slot is one of `seconds`, or nothing if there is none: proved. Over Q the constants,
// scaled to integers of at most B, give differences of at most 2 n B^2: they vanish if they do modulo primes
// whose product exceeds that. Costs 2 n^4 operations for each slot and prime.
std::optional<Witness> findNonassociativeDense(const Table &table, const std::vector<std::int64_t> &seconds);

// The first i < limit for which (b_i y) z and b_i (y z) differ modulo a prime at random y, z; `limit` if
// there is none.
std::int64_t firstFailing(const Table &table, std::int64_t limit);

} // namespace algebras
