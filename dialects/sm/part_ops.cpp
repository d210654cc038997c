// Verifiers of the ops on parts of a partition that share a tile.
#include "dialects/sm/sm.h"

using namespace mlir;
using namespace sm;

/// Of a partition whose warpgroups are divided into parts.
static LogicalResult verifyParts(Operation *op) {
  auto partition = op->getParentOfType<PartitionOp>();
  if (!partition || !partition.getTurns())
    return op->emitOpError("is for parts of a partition that take turns");
  return success();
}

static LogicalResult verifyPartBarrier(Operation *op, int64_t barrier) {
  if (failed(verifyParts(op)))
    return failure();
  if (barrier < 0 || barrier >= part_barriers)
    return op->emitOpError("is at one of the barriers 0 to ") << part_barriers - 1 << ", got " << barrier;
  return success();
}

/// One part leaves them for one other.
static LogicalResult verifyPartial(Operation *op, AccumulatorType sums, ReductionBufferType buffer) {
  if (!sums.hasWarpgroups())
    return op->emitOpError("is for sums of warpgroups; here single ")
           << (sums.hasThreads() ? "threads" : "warps") << " hold them";
  if (failed(verifyParts(op)))
    return failure();
  if (buffer.getBlocks() != 2 || sums.getWarpgroups() != buffer.getWarpgroups() ||
      sums.getInstructionWidth() != 2 * buffer.getSums())
    return op->emitOpError("has ") << sums << ", for which " << buffer << " has no room of the right shape: "
                                   << "one place, for all of them";
  return success();
}

LogicalResult SyncPartsOp::verify() { return verifyPartBarrier(*this, getBarrierAttr().getInt()); }

LogicalResult ArrivePartsOp::verify() { return verifyPartBarrier(*this, getBarrierAttr().getInt()); }

LogicalResult WritePartialOp::verify() {
  return verifyPartial(*this, getAccumulator().getType(), getReductionBuffer().getType());
}

LogicalResult AddPartialOp::verify() {
  return verifyPartial(*this, getAccumulator().getType(), getReductionBuffer().getType());
}
