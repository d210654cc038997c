// Bounds on the bilinear rank, each with the rule that gave it.
#pragma once

#include "algebras/algebra.h"
#include "algebras/rank/matrix_multiplication.h"
#include "algebras/structure/structure.h"

#include <optional>

namespace algebras {

// 2 dim A - t(A), Alder and Strassen (paper, eq. alder-strassen), over any field.
std::int64_t alderStrassen(const Algebra &algebra, const Structure &structure);

// Needs an associative unital algebra of known structure. Alder-Strassen, or better where the algebra is M(n)
// up to factors of dimension one. Nothing when the bound does not fit in 64 bits.
std::optional<RankBound> rankLower(const Algebra &algebra, const Structure &structure);
// Graph algebras: |V| + 2|E| (paper, thm. graph-rank). M(n): matrix_multiplication.h. Direct products add,
// tensor products multiply. Otherwise the table's own count of products. Needs nothing: it holds for any
// bilinear map.
RankBound rankUpper(const Algebra &algebra);

} // namespace algebras
