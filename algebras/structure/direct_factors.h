// A table whose slots fall apart into direct factors.
#pragma once

#include "algebras/table/table.h"

#include <cstdint>
#include <vector>

namespace algebras {

struct DirectFactor {
  Table table;
  std::vector<int64_t> slots; // ascending: the factor's slot s is slots[s] of the whole
};

// The finest way to part the slots so that all constants stay within a part, ascending by first slot. The
// dimension is at most the number of constants. Nearly linear.
std::vector<DirectFactor> directFactors(const Table &table);

} // namespace algebras
