// The decomposition of any table, by dense linear algebra.
#pragma once

#include "algebras/structure/decomposition.h"

namespace algebras {

// The table is associative with this identity (not checked again). Takes tables of dimension up to
// kLargestDense.
inline constexpr std::int64_t kLargestDense = 1024;
Decomposition decomposeDense(const Table &table, const SparseVector &identity);

} // namespace algebras
