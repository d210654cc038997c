#include "dialects/alg/schedules.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace alg;

std::optional<int64_t> alg::constantOffset(SlotsOp slots) {
  if (!slots.getOffset())
    return 0;
  APInt offset;
  if (!matchPattern(slots.getOffset(), m_ConstantInt(&offset)))
    return std::nullopt;
  return offset.getSExtValue();
}

bool alg::haveSameSchedule(SlotsOp a, SlotsOp b) {
  auto types = cast<SlotsType>(a.getView().getType()).getRowTypes();
  return types == cast<SlotsType>(b.getView().getType()).getRowTypes() && a.getOffset() == b.getOffset() &&
         a.getTypes() == b.getTypes();
}

LogicalResult alg::verifySameOffset(Operation *op, ValueRange views) {
  std::optional<int64_t> common;
  for (Value view : views) {
    SlotsOp slots = findRowSchedule(view);
    int64_t period = slots ? cast<SlotsType>(slots.getView().getType()).getRowTypes().getPeriod() : 0;
    std::optional<int64_t> offset = period ? constantOffset(slots) : std::nullopt;
    if (!offset || *offset < 0)
      continue;
    if (common && (*common - *offset) % period != 0)
      return op->emitOpError("combines rows by their types, but one view starts at position ")
             << *common << " and another one at " << *offset;
    common = offset;
  }
  return success();
}
