#include "algebras/cost/padding.h"

#include "algebras/checked.h"
#include "algebras/cost/projection.h"
#include "algebras/error.h"

#include <fmt/format.h>

namespace algebras::cost {

namespace {

constexpr const char *padded_macs_counted = "the number of padded MACs";

int64_t roundUp(int64_t value, int64_t multiple) {
  return checkedMultiply(value / multiple + (value % multiple != 0), multiple, padded_macs_counted);
}

Groups rounded(const Groups &groups, int64_t multiple) {
  if (groups.isEqual())
    return Groups::equal(groups.count(), roundUp(groups.width(0), multiple));
  std::vector<int64_t> widths = groups.widths();
  for (int64_t &width : widths)
    width = roundUp(width, multiple);
  return Groups::explicitWidths(std::move(widths));
}

} // namespace

int64_t paddedMacs(const Lift &lift, const Groups &in, const Groups &out,
                   std::span<const int64_t> rows_of_type, const Tile &tile) {
  if (tile.rows < 1 || tile.columns < 1 || tile.depth < 1)
    throw InputError(fmt::format("a tile of {} x {} x {}: each side has to be at least 1", tile.rows,
                                 tile.columns, tile.depth));
  if (static_cast<int64_t>(rows_of_type.size()) != lift.types())
    throw InputError(fmt::format("row counts for {} types, but {} has {}", rows_of_type.size(),
                                 lift.algebra().name(), lift.types()));
  std::vector<int64_t> rows(rows_of_type.size());
  for (size_t type = 0; type < rows.size(); ++type)
    rows[type] = roundUp(rows_of_type[type], tile.rows);
  return batchMacs(lift, rounded(in, tile.depth), rounded(out, tile.columns), rows);
}

} // namespace algebras::cost
