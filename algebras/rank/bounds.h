// Bounds on the bilinear rank, each with the rule that gave it (docs/rank.md).
#pragma once

#include "algebras/algebra.h"
#include "algebras/rank/bilinear_algorithm.h"
#include "algebras/rank/matrix_multiplication.h"
#include "algebras/structure/decomposition.h"
#include "algebras/structure/structure.h"

#include <optional>

namespace algebras {

// 2 dim A - t(A), Alder and Strassen (paper, eq. alder-strassen), over any field.
int64_t alderStrassen(const Algebra &algebra, const Structure &structure);

// Each needs an associative unital algebra. The best that lower_bounds.h and minimal_rank.h know. Nothing
// when the bound does not fit in 64 bits.
std::optional<RankBound> rankLower(const Algebra &algebra, const Structure &structure);
std::optional<RankBound> rankLower(const Algebra &algebra, const Decomposition &decomposition);

// An upper bound, which constructedAlgorithm attains. Graph algebras: |V| + 2|E| (paper, thm. graph-rank).
// M(n): matrix_multiplication.h. Direct products add, tensor products multiply. Otherwise the products that
// the table itself shows. It holds for any bilinear map.
RankBound rankUpper(const Algebra &algebra);
// The same, or what recognition.h finds in an associative unital algebra with this identity that is no
// construction of matrix units, up to dimension recognised_at_once and coefficients of 256
// bits; that algorithm is verified. `known`: the decomposition of a table, where it has been found already.
RankBound rankUpper(const Algebra &algebra, const SparseVector &identity,
                    const Decomposition *known = nullptr);
inline constexpr int64_t recognised_at_once = 32;
// The algorithm of rankUpper(algebra), by construction; not verified here. Nothing where it would have more
// than Algebra::kExpansionLimit products.
std::optional<BilinearAlgorithm> constructedAlgorithm(const Algebra &algebra);

} // namespace algebras
