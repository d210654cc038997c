// The identity of a sparse table, where its equations can be solved one unknown at a time.
#pragma once

#include "algebras/table/table.h"

#include <optional>
#include <vector>

namespace algebras {

// The coefficients, from equations in one unknown, and those that become such as unknowns are found; nothing
// when that does not find all within a few passes. The equations used are necessary: if this answer is no
// identity, there is none. A pass is linear and takes 4 bytes for each constant.
std::optional<std::vector<Rational>> identityByShortEquations(const Table &table);

} // namespace algebras
