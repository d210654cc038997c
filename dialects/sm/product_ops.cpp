// Verifiers of what becomes of products' sums.
#include "dialects/sm/sm.h"

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

LogicalResult AddBiasOp::verify() {
  if (getAccumulator().getType().hasWarps())
    return emitOpError(
        "adds to sums of warpgroups; those of single warps get a bias when they are delivered");
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
