// Associativity of dense tables with large coefficients, by products of matrices modulo primes.
#pragma once

#include "algebras/linear/matrix.h"
#include "algebras/table/table.h"

#include <cstdint>
#include <optional>

namespace algebras {

// The first slot i for which (b_i g) b_k and b_i (g b_k) differ for some k and one of the elements g, given
// as rows of integers; nothing if there is none: proved. Over Q the constants, scaled to integers of at most
// B, give differences of at most 2 n^2 G B^2 with G the largest entry of g: they vanish if they do modulo
// primes whose product exceeds that. The primes are so small that sums of n products stay in a word. Costs 2
// n^4 operations for each element and prime.
std::optional<int64_t> findFailing(const Table &table, const Matrix &elements);

// The first i < limit for which (b_i y) z and b_i (y z) differ modulo a prime at random y, z; `limit` if
// there is none.
int64_t firstFailing(const Table &table, int64_t limit);

} // namespace algebras
