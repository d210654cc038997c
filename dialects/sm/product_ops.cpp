// Verifiers of what becomes of products' sums.
#include "dialects/sm/block_checks.h"
#include "dialects/tile/verify.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace sm;

LogicalResult ZeroOp::verify() {
  AccumulatorType sum = getType();
  if (getNarrow() && (!sum.hasWarpgroups() || sum.getTransposed()))
    return emitOpError("is narrow where warpgroups hold rows of the sums, and instructions all columns; got ")
           << sum;
  return verifyNarrow(*this, getNarrow(), getNarrowColumns(), sum.getColumns());
}

LogicalResult AddScaledOp::verify() {
  if (!getTotal().getType().hasWarps())
    return emitOpError("scales sums of single warps; give the accumulator its warps");
  return success();
}

LogicalResult MmaWaitOp::verify() {
  if (const int64_t pending = getPendingAttr().getInt(); pending < 0 || pending > 7)
    return emitOpError("leaves 0 to 7 groups unfinished, got ") << pending;
  return success();
}

void YieldOp::build(OpBuilder &, OperationState &) {}

/// An operand that has rows: threads read as many of it as there are sums.
static LogicalResult verifyRowsRead(MapOp map, MapsType maps) {
  const AccumulatorType sums = map.getResult().getType();
  if (!maps.isPlain() || maps.getRowDimension() != 3)
    return map.emitOpError("reads rows through plain maps of row dimension 3, got ") << maps;
  // Single threads read element by element, also those of one row of several.
  if (sums.hasThreads())
    return success();
  // Where blocks divide some tiles, the maps are for their parts; and sums may be the first columns of a
  // tile.
  const bool narrow = sums.hasWarpgroups() && sums.getColumns() < maps.getColumns();
  if (sums.getRows() % maps.getRows() != 0 || (sums.getColumns() % maps.getColumns() != 0 && !narrow))
    return map.emitOpError("maps ") << sums.getRows() << " x " << sums.getColumns() << " sums, of which "
                                    << maps << " do not have so many";
  return success();
}

LogicalResult MapOp::verify() {
  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size())
    return emitOpError("body has ") << body.getNumArguments() << " arguments for " << getInputs().size()
                                    << " inputs";
  bool sums = false, rows = false;
  for (auto [input, argument] : llvm::zip_equal(getInputs(), body.getArguments())) {
    Type element = Float32Type::get(getContext());
    if (auto columns = dyn_cast<ColumnsType>(input.getType()))
      element = columns.getElementType();
    if (auto maps = dyn_cast<MapsType>(input.getType())) {
      rows = true;
      element = maps.getElementType();
      if (failed(verifyRowsRead(*this, maps)))
        return failure();
    }
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
  if (getRows().size() != (rows ? 5u : 0u))
    return emitOpError(rows ? "reads rows of an operand at a map and its four coordinates, got "
                            : "reads no operand that has rows, and takes no place of them, got ")
           << getRows().size() << " indices";
  for (Operation &op : body)
    if (failed(tile::verifyScalarCode(&op)))
      return failure();
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (!yield || yield.getNumOperands() != 1 || !yield.getOperand(0).getType().isF32())
    return emitOpError("body must yield one value of type f32");
  return success();
}

LogicalResult WriteOp::verify() {
  AccumulatorType sum = getAccumulator().getType();
  BufferType target = getTarget().getType();
  if (!sum.hasWarpgroups())
    return emitOpError("writes sums of warpgroups; those of single ")
           << (sum.hasWarps() ? "warps" : "threads") << " are stored straight to memory";
  const bool narrow = !sum.getTransposed() && sum.getColumnsOfWarpgroup() < target.getColumns();
  // A stage of one panel may have the rows of all warpgroups, one below the other.
  const bool all = !sum.getTransposed() && target.getRows() == sum.getRows() && target.getSwizzle() &&
                   target.getPanels() == 1;
  if ((target.getRows() != sum.getRowsOfWarpgroup() && !all) ||
      (target.getColumns() != sum.getColumnsOfWarpgroup() && !narrow))
    return emitOpError("writes a warpgroup's ")
           << sum.getRowsOfWarpgroup() << " x " << sum.getColumnsOfWarpgroup() << " sums, but the stage has "
           << target.getRows() << " x " << target.getColumns();
  return success();
}
