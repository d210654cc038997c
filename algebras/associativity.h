// Exact associativity of a table.
#pragma once

#include "algebras/table/table.h"

#include <cstdint>
#include <optional>

namespace algebras {

// (b_i b_j) b_k and b_i (b_j b_k) differ in the coefficient of b_l.
struct Witness {
  int64_t i = 0, j = 0, k = 0, l = 0;
  bool operator==(const Witness &) const = default;
};

struct Associativity {
  std::optional<Witness> witness; // nothing: the table is associative, proved
  // Where triples (a, g, c) with these second elements g were enough, which generate the table
  // (associativity.cpp says why): how many they are. 0 where all triples were examined.
  int64_t seconds = 0;
  // Where the witness was found modulo a prime: which, one that divides no denominator. Else 0.
  uint64_t modulus = 0;
};

// Examines all pairs of constants that meet (2(3q^2 - 2q) for Q(q), 2*8^L for Q(2)^L), with the memory of one
// first index at a time; the witness is then the first one in the order of (i, j, k, l). Where those pairs
// are more than 2^22 and a few elements generate the table, those are enough in the middle: then the witness
// is the first one of the first slot that a test at random points finds failing, which is nearly always the
// same. Dense tables over Q are tested modulo a prime of 62 bits before: what differs there differs, and the
// witness is multiplied out exactly. Random points and primes are the same in every run.
Associativity examineAssociativity(const Table &table);

// Its witness.
std::optional<Witness> findNonassociative(const Table &table);

} // namespace algebras
