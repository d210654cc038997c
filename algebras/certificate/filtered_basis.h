// Another basis of an algebra, in which its structure is seen from the slots.
#pragma once

#include "algebras/linear/matrix.h"
#include "algebras/structure/decomposition.h"
#include "algebras/table/table.h"

#include <cstdint>
#include <optional>

namespace algebras {

struct FilteredBasis {
  Table table;                 // in this basis
  Matrix slots;                // row i: the slot b_i of the algebra, in this basis
  Decomposition decomposition; // in this basis, where slotFiltration() finds it
};

// Of an associative algebra with this identity. Its elements are, modulo rad A, bases of the simple
// components - matrix units times powers of a generator of the centre, where the component splits - and then
// those of the layers of the radical: of rad A modulo its square, and after that products. All lie in Peirce
// components e_i A e_j of orthogonal idempotents, which keeps the table sparse. Dense linear algebra: nothing
// beyond dimension 512, and where an element has a denominator that all primes tried divide.
std::optional<FilteredBasis> filteredBasis(const Table &table, const SparseVector &identity,
                                           const Decomposition &decomposition);

// Of an associative algebra A without an identity: that of A + F 1, where the identity is adjoined, but for
// the one element that does not lie in A. It has no decomposition.
std::optional<FilteredBasis> filteredBasisWithoutIdentity(const Table &table);

} // namespace algebras
