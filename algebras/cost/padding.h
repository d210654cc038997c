// What tiles really execute where blocks are not multiples of them (paper, sec. scaling).
#pragma once

#include "algebras/groups.h"
#include "algebras/lift.h"

#include <cstdint>
#include <span>

namespace algebras::cost {

struct Tile {
  int64_t rows = 128, columns = 128, depth = 1;
};

// MACs with the rows of each type, the columns of each output group and the depth of each input group rounded
// up to the tile.
int64_t paddedMacs(const Lift &lift, const Groups &in, const Groups &out,
                   std::span<const int64_t> rows_of_type, const Tile &tile);

} // namespace algebras::cost
