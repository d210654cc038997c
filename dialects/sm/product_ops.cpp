// Verifiers of what becomes of products' sums.
#include "dialects/sm/sm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace sm;

LogicalResult AddScaledOp::verify() {
  if (!getTotal().getType().hasWarps())
    return emitOpError("scales sums of single warps; give the accumulator its warps");
  return success();
}

LogicalResult MmaWaitOp::verify() {
  if (const std::int64_t pending = getPendingAttr().getInt(); pending < 0 || pending > 7)
    return emitOpError("leaves 0 to 7 groups unfinished, got ") << pending;
  return success();
}

void YieldOp::build(OpBuilder &, OperationState &) {}

LogicalResult MapOp::verify() {
  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size())
    return emitOpError("body has ") << body.getNumArguments() << " arguments for " << getInputs().size()
                                    << " inputs";
  bool sums = false;
  for (auto [input, argument] : llvm::zip_equal(getInputs(), body.getArguments())) {
    Type element = Float32Type::get(getContext());
    if (auto columns = dyn_cast<ColumnsType>(input.getType()))
      element = columns.getElementType();
    if (auto type = dyn_cast<AccumulatorType>(input.getType())) {
      sums = true;
      if (type != getResult().getType())
        return emitOpError("maps sums of one type, but some are ")
               << type << " and the result " << getResult().getType();
    }
    if (argument.getType() != element)
      return emitOpError("body takes ") << argument.getType() << " where the input has " << element;
  }
  if (!sums)
    return emitOpError("needs at least one accumulator");
  for (Operation &op : body)
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != &body && !operand.getDefiningOp<arith::ConstantOp>())
        return op.emitOpError(
            "uses a value from outside of its sm.map that is no constant: make it an input");
  for (Operation &op : body.without_terminator())
    if (!isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) || op.getNumRegions() != 0)
      return op.emitOpError("is no scalar code of arith or math, so an sm.map cannot apply it to sums");
  auto yield = cast<YieldOp>(body.getTerminator());
  if (yield.getNumOperands() != 1 || !yield.getOperand(0).getType().isF32())
    return emitOpError("body must yield one value of type f32");
  return success();
}

LogicalResult WriteOp::verify() {
  AccumulatorType sum = getAccumulator().getType();
  BufferType target = getTarget().getType();
  if (sum.hasWarps())
    return emitOpError("writes sums of warpgroups; those of single warps are delivered straight to memory");
  if (target.getRows() != sum.getRowsOfWarpgroup() || target.getColumns() != sum.getColumnsOfWarpgroup())
    return emitOpError("writes a warpgroup's ")
           << sum.getRowsOfWarpgroup() << " x " << sum.getColumnsOfWarpgroup() << " sums, but the slot has "
           << target.getRows() << " x " << target.getColumns();
  return success();
}
