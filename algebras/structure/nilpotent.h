// Whether an associative algebra, without an identity, is nilpotent.
#pragma once

#include "algebras/table/table.h"

#include <optional>

namespace algebras {

// By its powers A, A^2 = A A, ... until one is zero, or equal to the one before. Sparse elimination; nothing
// when it would take too long.
std::optional<bool> isNilpotent(const Table &table);

} // namespace algebras
