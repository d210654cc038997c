// The decomposition of any table, by dense linear algebra.
#pragma once

#include "algebras/structure/decomposition.h"

namespace algebras {

inline constexpr int64_t largest_dense = 1024;
// Whether a table is small enough: dimension up to largest_dense; up to 384 where the characteristic is at
// most the dimension, as the radical then takes powers of as many matrices as the kernel of the trace form
// has dimensions.
bool fitsDense(const Table &table);

// The table is associative with this identity (not checked again), and fitsDense().
Decomposition decomposeDense(const Table &table, const SparseVector &identity);

} // namespace algebras
