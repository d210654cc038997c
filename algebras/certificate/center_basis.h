// A basis of the centre of a table.
#pragma once

#include "algebras/identity.h"
#include "algebras/table/table.h"

#include <optional>
#include <vector>

namespace algebras {

// Of an associative unital table. Sparse elimination on the equations x b_s = b_s x; nothing where it becomes
// dense and the dimension is above 512.
std::optional<std::vector<SparseVector>> centerBasis(const Table &table, const SparseVector &identity);

} // namespace algebras
