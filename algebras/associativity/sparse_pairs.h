// Associativity of large sparse tables: which first slots fail.
#pragma once

#include "algebras/table/table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

struct SparsePairs {
  // The first i with (b_i b_j) b_k and b_i (b_j b_k) unlike for some k and some j of a generating set.
  std::optional<int64_t> first_failing;
  std::vector<int64_t> not_examined; // slots with too many pairs at once, ascending
};

// Second slots j of a generating set are enough, because the middle nucleus is closed under products
// (associativity.cpp). Sums the differences of all pairs of constants that meet there, one first slot at a
// time, on all cores: in a hash table of (j, k, l), and in words. Over Q the words are residues, modulo 2^64
// of scaled integers or modulo primes, as many as decide whether a sum of that size is zero: so the answer is
// proved. Nothing beyond 2^21 slots, for small dense tables, and when coefficients are so long that exact
// arithmetic is better.
std::optional<SparsePairs> searchSparsePairs(const Table &table);

} // namespace algebras
