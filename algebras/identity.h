// The two-sided identity of a table, exactly.
#pragma once

#include "algebras/table/table.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace algebras {

using SparseVector = std::vector<std::pair<int64_t, Rational>>; // ascending index, no zeros

// The identity, or nothing when there is none: both answers are proved. Equations in one unknown are solved
// by propagation, in linear time; what is left is solved densely (InputError beyond 4096 such unknowns). A
// claimed identity of the table is tried first and is checked, not believed.
std::optional<SparseVector> findIdentity(const Table &table);

// Some u with u b_s = b_s, or with b_s u = b_s, for every slot s; nothing when there is none, which is
// proved, or when more than 512 unknowns have to be solved at once.
std::optional<SparseVector> findLeftIdentity(const Table &table);
std::optional<SparseVector> findRightIdentity(const Table &table);

// Whether b_s u = u b_s = b_s for every slot s. Linear in the number of constants.
bool isIdentity(const Table &table, const SparseVector &candidate);

} // namespace algebras
