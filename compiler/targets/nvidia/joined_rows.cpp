#include "compiler/targets/nvidia/joined_rows.h"

#include "compiler/targets/nvidia/instructions.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace compiler {

std::optional<JoinedRows> JoinedRows::of(OpBuilder &builder, Location location, sm::MapsType type,
                                         Value map) {
  if (!type.getRun())
    return std::nullopt;
  const Instructions write(builder, location);
  return JoinedRows(builder, location, type.getRun(),
                    type.hasAllRows() ? write.equal(map, type.getCount() - 1) : Value());
}

JoinedRows::Place JoinedRows::at(Value segment, Value row) const {
  const Instructions write(*builder_, location_);
  Place place{write.add(write.multiply(segment, run_), write.bitAnd(row, run_ - 1)),
              write.shiftRight(row, static_cast<int64_t>(llvm::Log2_64(static_cast<uint64_t>(run_))))};
  if (has_all_rows_)
    place = {write.select(has_all_rows_, row, place.within), write.select(has_all_rows_, 0, place.run)};
  return place;
}

} // namespace compiler
