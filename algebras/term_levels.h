// A lift whose terms are too many for one table, as a nest of small tables and formulas.
#pragma once

#include "algebras/lift.h"

#include <cstdint>
#include <vector>

namespace algebras {

// Lifts of which `lift` is the product (Lift::factors), left ones first: each has a formula, or a table that
// is small unless a single factor has a large one. Neighbouring factors go into one table as long as that has
// at most `small` entries; a lift of which one table is small enough is its own only level.
constexpr int64_t small_table = int64_t{1} << 16;
std::vector<Lift> termLevels(const Lift &lift, int64_t small = small_table);

// What a table of the lift's terms would hold: an entry for each (type, output group) and one for each term.
// 0 for formulas, which need none. InputError where that leaves 64 bits.
int64_t tableEntries(const Lift &lift);

} // namespace algebras
