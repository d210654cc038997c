// The powers of the radical of a sparse table.
#pragma once

#include "algebras/structure/class_decomposition.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

struct RadicalPowers {
  std::vector<int64_t> dimensions; // of rad, rad^2, ...; the last one is not zero
  // Their reduced echelon bases, as in Decomposition; left empty when they are not asked for.
  std::vector<std::vector<SparseVector>> bases;
};

// When rad is spanned by slots that multiply into multiples of slots, in linear time and memory; otherwise by
// sparse elimination. Nothing when that would take too long.
std::optional<RadicalPowers> radicalPowers(const TableIndex &index, const ClassDecomposition &decomposition,
                                           bool with_bases);

} // namespace algebras
