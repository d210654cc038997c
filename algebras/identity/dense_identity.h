// The identity of dense tables.
#pragma once

#include "algebras/identity.h"
#include "algebras/identity/propagation.h"

namespace algebras {

// Whether a table is so dense that matrices are the better way: an eighth of all constants or more, dimension
// 24 to 1024.
bool isDense(const Table &table);

// The identity of a dense table, from u x = x for some x and checked against every slot; nothing where x is
// not invertible or there is no identity, which is then left to be found out.
std::optional<SparseVector> guessIdentity(const Table &table);

// Whether a dense table is proved to have no identity on one side: u x = x (or x u = x) for some x has one
// solution modulo a prime that divides no denominator, and that is no identity modulo the prime. Then a
// determinant of n + 1 equations in n unknowns and the right side is not zero modulo the prime, and so not
// zero over Q: they contradict each other. A few n^3 operations on words; nothing is known where the answer
// is no.
bool lacksIdentity(const Table &table, Side side);

// Whether b_s u = u b_s = b_s for every slot s.
bool isIdentityDense(const Table &table, const SparseVector &candidate);

} // namespace algebras
