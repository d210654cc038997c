// What a reduction makes of a view.
#include "dialects/alg/alg.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace alg;

/// Null where the view has no such dimensions.
static RankedTensorType resultOf(SlotsType view, Extent over, Type element) {
  switch (over) {
  case Extent::Columns:
    return view.getRowsType(element);
  case Extent::Rows:
    return view.getColumnsType(element);
  case Extent::All:
    return view.getNumberType(element);
  }
  llvm_unreachable("an extent without a result");
}

void ReduceOp::build(OpBuilder &builder, OperationState &state, Reduction reduction, Value view, Extent over,
                     Type element) {
  build(builder, state, resultOf(cast<SlotsType>(view.getType()), over, element), reduction, view, over);
}

LogicalResult ReduceOp::verify() {
  SlotsType view = getView().getType();
  Type element = elementTypeOf(getResult());
  RankedTensorType needed = resultOf(view, getOver(), element);
  if (!needed)
    return emitOpError(
        "reduces a plain weight matrix, which has neither rows nor columns; reduce it over all");
  if (getResult().getType() != needed)
    return emitOpError("over ") << stringifyExtent(getOver()) << " of " << view << " is " << needed
                                << ", not " << getResult().getType();
  // A wider type holds every element of a narrower one, f16 and bf16 excepted, neither of which holds the
  // other.
  if (getReduction() == Reduction::Maximum && element != view.getElementType() &&
      element.getIntOrFloatBitWidth() <= view.getElementType().getIntOrFloatBitWidth())
    return emitOpError("gives the maximum of ")
           << view.getElementType() << " as it is, and " << element << " does not hold them all";
  return success();
}
