// Lower bounds on the bilinear rank from the structure of an algebra; proofs and sources in docs/rank.md.
#pragma once

#include "algebras/algebra.h"
#include "algebras/rank/matrix_multiplication.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace algebras {

// What the lower bounds need to know of a simple factor of A/rad.
struct SimpleFactor {
  int64_t dimension = 1, center_dimension = 1; // over the ground field
  std::optional<int64_t> matrix_degree;        // d of M_d(D), where it is known
  auto operator<=>(const SimpleFactor &) const = default;
};

// The best of, for an associative unital algebra A of this dimension with simple factors S_1, ..., S_t of
// A/rad (each with how often it occurs):
// - Alder-Strassen: 2 dim A - t;
// - one factor in place of its 2 dim S - 1: R(A) >= 2 dim A - t + (R(S) - 2 dim S + 1), with Blaser's bounds
// for
//   matrices, 2 dim D for noncommutative division algebras, and for fields of more than q/2 + 1 dimensions
//   over GF(q);
// - Blaser 2000 for all factors of matrix degree two and more together;
// - one more, where A is known not to be of minimal rank: `obstruction` says why, and is empty otherwise.
// Nothing where the bound does not fit in 64 bits.
std::optional<RankBound> rankLower(const Field &field, int64_t dimension,
                                   const std::map<SimpleFactor, int64_t> &factors,
                                   const std::string &obstruction);

} // namespace algebras
