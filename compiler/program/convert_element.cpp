#include "compiler/program/convert_element.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace compiler {

Value convertElement(OpBuilder &builder, Location location, Value value, Type element) {
  Type from = getElementTypeOrSelf(value);
  if (from == element)
    return value;
  auto shaped = dyn_cast<RankedTensorType>(value.getType());
  Type to = shaped ? Type(shaped.clone(element)) : element;
  if (auto widened = value.getDefiningOp<arith::ExtFOp>(); widened && widened.getIn().getType() == to)
    return widened.getIn();
  const unsigned from_width = from.getIntOrFloatBitWidth(), width = element.getIntOrFloatBitWidth();
  if (from_width < width)
    return arith::ExtFOp::create(builder, location, to, value);
  if (from_width == width) // f16 and bf16
    return convertElement(builder, location, convertElement(builder, location, value, builder.getF32Type()),
                          element);
  return arith::TruncFOp::create(builder, location, to, value);
}

Type computationType(Type element) {
  return element.getIntOrFloatBitWidth() < 32 ? Float32Type::get(element.getContext()) : element;
}

} // namespace compiler
