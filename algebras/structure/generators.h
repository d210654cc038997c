// Small sets that generate an algebra.
#pragma once

#include "algebras/linear/matrix.h"
#include "algebras/table/table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// Slots whose basis elements generate the algebra, associative or not: the words g1 (g2 (... gn)) in them
// span everything. Found and proved modulo a prime, since a set that spans there spans over Q. Nothing when
// more than `most` would be needed. Dense in the dimension, but for the products.
std::optional<std::vector<int64_t>> generatingSlots(const Table &table, int64_t most);

// Elements, as rows, that generate an associative algebra together with its identity. They are few: random
// combinations of the basis, with basis elements added where those do not suffice. That they generate is
// proved as above.
Matrix generatingElements(const Table &table, const SparseVector &identity);
// The same without an identity, for any product: as for slots, the words g1 (g2 (... gn)) span everything.
Matrix generatingElements(const Table &table);

} // namespace algebras
