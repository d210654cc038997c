#include "algebras/cost/padding.h"

#include "algebras/checked.h"
#include "algebras/error.h"

#include <fmt/format.h>

namespace algebras::cost {

namespace {

constexpr const char *kWhat = "the number of padded MACs";

std::int64_t roundUp(std::int64_t value, std::int64_t multiple) {
  return checkedMultiply(value / multiple + (value % multiple != 0), multiple, kWhat);
}

} // namespace

std::int64_t paddedMacs(const Lift &lift, const Groups &in, const Groups &out,
                        std::span<const std::int64_t> rows_of_type, const Tile &tile) {
  if (tile.rows < 1 || tile.columns < 1 || tile.depth < 1)
    throw InputError(fmt::format("a tile of {} x {} x {}: each side has to be at least 1", tile.rows,
                                 tile.columns, tile.depth));
  if (static_cast<std::int64_t>(rows_of_type.size()) != lift.types())
    throw InputError(fmt::format("row counts for {} types, but {} has {}", rows_of_type.size(),
                                 lift.algebra().name(), lift.types()));
  std::int64_t sum = 0;
  for (std::int64_t type = 0; type < lift.types(); ++type) {
    std::int64_t rows = roundUp(rows_of_type[type], tile.rows);
    if (rows == 0)
      continue;
    for (std::int64_t group = 0; group < lift.outputGroups(); ++group) {
      std::int64_t depth = 0;
      for (const BlockTerm &term : lift.terms(type, group))
        depth = checkedAdd(depth, roundUp(in.width(term.input_group), tile.depth), kWhat);
      std::int64_t area = checkedMultiply(rows, roundUp(out.width(group), tile.columns), kWhat);
      sum = checkedAdd(sum, checkedMultiply(area, depth, kWhat), kWhat);
    }
  }
  return sum;
}

} // namespace algebras::cost
