#include "algebras/weight_row_types.h"

namespace algebras {

std::optional<RowTypes> typesOfWeightRows(const Lift &lift, const Groups &rows) {
  if (lift.kind() != Lift::Kind::Rows)
    return std::nullopt;
  if (lift.types() == 1)
    return RowTypes::cyclic(1);
  int64_t width = 0; // of the first interval, and so of all
  for (int64_t group = 0; group < rows.count() && lift.typeOfRow(group) == lift.typeOfRow(0); ++group)
    width += rows.width(group);
  const RowTypes types =
      width == 1 ? RowTypes::cyclic(lift.types()) : RowTypes::interval(lift.types(), width);
  for (int64_t group = 0; group < rows.count(); ++group) {
    const int64_t first = rows.start(group), last = first + rows.width(group) - 1;
    if (first / width != last / width || types.typeAt(first) != lift.typeOfRow(group))
      return std::nullopt;
  }
  return types;
}

} // namespace algebras
