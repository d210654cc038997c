// A simple algebra as matrices over a division algebra.
#pragma once

#include "algebras/structure/central_idempotents.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace algebras {

struct Splitting {
  std::optional<int64_t> degree; // d, where the component is known to be M_d(D)
  std::vector<Matrix> units;     // d*d of them, row-major; empty for d = 1 and where d is not known
  std::string division_reason;   // why D is a division algebra, when it is larger than its centre
  std::string local_indices;     // as in SimpleComponent
};

// Of the component e B of a semisimple algebra B with centre field `center`, of dimension `dimension` over
// the ground field. Zero divisors x of e B (minimal polynomial not irreducible) give idempotents f; they are
// followed down until f B f is the centre, or is proved to be a division algebra. Over GF(p) random elements
// are zero divisors with probability at least one half, and every algebra splits (Wedderburn). Over Q slots
// are tried, then short elements of the lattice that they span; quaternion algebras over Q are decided by
// Hilbert symbols, others by definiteness at a real place or by local indices (local_indices.h). What is
// found is checked by its products; what is not found is left undecided.
Splitting split(const ProductOperator &product, const CentralField &center, int64_t dimension);

} // namespace algebras
