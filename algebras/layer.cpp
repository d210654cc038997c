#include "algebras/layer.h"

#include "algebras/checked.h"
#include "algebras/error.h"

#include <fmt/format.h>

namespace algebras {

namespace {

void checkGroups(const Lift &lift, const Groups &groups, int64_t expected, const char *side) {
  if (groups.count() != expected)
    throw InputError(fmt::format("{} {} groups, but {} in the {} lift has {}", groups.count(), side,
                                 lift.algebra().name(), lift.kind() == Lift::Kind::Rows ? "row" : "slots",
                                 expected));
  if (lift.kind() == Lift::Kind::Slots && !groups.isEqual())
    throw InputError(fmt::format("unequal {} groups: in the slots lift all slots have one width", side))
        .hint("use equal groups, or lift = \"rows\"");
}

Groups cut(int64_t total, int64_t count, const char *side) {
  try {
    return Groups::dividing(total, count);
  } catch (const InputError &error) {
    throw InputError(fmt::format("{} = {}: {}", side, total, error.what())).hint(error.hint());
  }
}

} // namespace

void Layer::validate() const {
  checkGroups(lift, in, lift.inputGroups(), "input");
  checkGroups(lift, out, lift.outputGroups(), "output");
  if (row_types.count() != lift.types())
    throw InputError(fmt::format("a schedule of {} row types, but {} has {}", row_types.count(),
                                 lift.algebra().name(), lift.types()));
  checkedMultiply(checkedMultiply(in.total(), out.total(), "the size of the weight matrix"), byteWidth(dtype),
                  "the size of the weight matrix in bytes");
}

Layer makeLayer(const Lift &lift, int64_t in, int64_t out, DataType dtype) {
  Layer layer{lift, cut(in, lift.inputGroups(), "in"), cut(out, lift.outputGroups(), "out"), dtype,
              RowTypes::cyclic(lift.types())};
  layer.validate();
  return layer;
}

} // namespace algebras
