// Matrix algebras whose basis elements are multiples of matrix units.
#pragma once

#include "algebras/table/table.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace algebras {

// E_ab = coefficient * slot, row-major.
struct ScaledUnits {
  int64_t degree = 0;
  std::vector<std::pair<int64_t, Rational>> units;
};

// Units of the whole algebra, whose products are all checked. Nothing when the basis is not of this kind.
// Linear in the number of constants.
std::optional<ScaledUnits> scaledUnits(const Table &table);

} // namespace algebras
