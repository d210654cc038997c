// Slots that generate the algebra of a sparse table.
#pragma once

#include "algebras/table/table.h"

#include <vector>

namespace algebras {

// By slot, whether it is chosen: every slot is a multiple of one that is chosen, or of a product of two that
// are reached before it. For any table, associative or not; linear in the number of constants. Not the
// fewest.
std::vector<bool> slotGenerators(const Table &table);

} // namespace algebras
