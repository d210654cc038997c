// The identity of dense tables.
#pragma once

#include "algebras/identity.h"

namespace algebras {

// Whether a table is so dense that matrices are the better way: an eighth of all constants or more, dimension
// 24 to 1024.
bool isDense(const Table &table);

// The identity of a dense table, from u x = x for some x and checked against every slot; nothing where x is
// not invertible or there is no identity, which is then left to be found out.
std::optional<SparseVector> guessIdentity(const Table &table);

// Whether b_s u = u b_s = b_s for every slot s.
bool isIdentityDense(const Table &table, const SparseVector &candidate);

} // namespace algebras
