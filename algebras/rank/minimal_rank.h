// Reasons why an algebra is not of minimal rank, that is, why R(A) >= 2 dim A - t + 1; proofs in
// docs/rank.md.
#pragma once

#include "algebras/algebra.h"
#include "algebras/structure/decomposition.h"

#include <optional>
#include <string>

namespace algebras {

// What is known of an algebra in this respect, so that tensor products can be judged by their factors.
struct RankShape {
  bool split_basic = false;  // A/rad = k^t
  bool radical = false;      // rad is not zero
  bool off_diagonal = false; // split basic, and e_i rad e_j is not zero for some i != j
  bool matrices = false;     // every simple factor of A/rad has matrix degree two or more
  std::string obstruction;   // the reason; empty where none is known
};

// Of an associative unital algebra, which is not checked. In closed form for constructions; through their
// decomposition for tables of known structure, at most largest_shape dimensions where the basis itself is not
// adapted to it. Nothing where the structure is not known.
std::optional<RankShape> rankShape(const Algebra &algebra);
inline constexpr int64_t largest_shape = 128;

// Of a table with its decomposition.
RankShape tableRankShape(const Table &table, const Decomposition &decomposition);

} // namespace algebras
