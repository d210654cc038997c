// Verifiers of the ops on tiles whose steps blocks of a cluster divide.
#include "dialects/sm/sm.h"

using namespace mlir;
using namespace sm;

/// Sums and one of their parts: of warpgroups, cut along the side of the instructions that threads hold
/// whole.
static LogicalResult verifyPart(Operation *op, AccumulatorType sums, AccumulatorType part) {
  if (!sums.hasWarpgroups() || !part.hasWarpgroups())
    return op->emitOpError("is for sums of warpgroups; here single ")
           << (sums.hasThreads() ? "threads" : "warps") << " hold them";
  if (sums.getTransposed() != part.getTransposed() || sums.getWarpgroups() != part.getWarpgroups())
    return op->emitOpError("cuts ") << sums << " along its " << (sums.getTransposed() ? "rows" : "columns")
                                    << "; " << part << " is no part of it";
  const int64_t whole = sums.getInstructionWidth(), width = part.getInstructionWidth();
  if (whole % width != 0 || whole / width < 2 || whole / width > most_parts)
    return op->emitOpError("has 2 to ")
           << most_parts << " equal parts, and " << width << " of " << whole << ' '
           << (sums.getTransposed() ? "rows" : "columns") << " make no such";
  return success();
}

/// Sums that go through a reduction buffer.
static LogicalResult verifyReductionBuffer(Operation *op, AccumulatorType sums,
                                           ReductionBufferType reduction_buffer, int64_t rank) {
  if (!sums.hasWarpgroups())
    return op->emitOpError("is for sums of warpgroups; here single ")
           << (sums.hasThreads() ? "threads" : "warps") << " hold them";
  if (sums.getWarpgroups() != reduction_buffer.getWarpgroups() ||
      sums.getInstructionWidth() != 2 * reduction_buffer.getBlocks() * reduction_buffer.getSums())
    return op->emitOpError("has ") << sums << ", for which " << reduction_buffer
                                   << " has no room of the right shape";
  if (rank < 0 || rank >= reduction_buffer.getBlocks())
    return op->emitOpError("is for one of blocks 0 to ")
           << reduction_buffer.getBlocks() - 1 << ", got " << rank;
  return success();
}

LogicalResult ReduceScatterOp::verify() {
  return verifyPart(*this, getAccumulator().getType(), getResult().getType());
}

LogicalResult SendOp::verify() {
  return verifyReductionBuffer(*this, getAccumulator().getType(), getReductionBuffer().getType(),
                               getRankAttr().getInt());
}

LogicalResult AddReceivedOp::verify() {
  AccumulatorType sums = getAccumulator().getType(), part = getResult().getType();
  if (failed(verifyReductionBuffer(*this, sums, getReductionBuffer().getType(), getRankAttr().getInt())) ||
      failed(verifyPart(*this, sums, part)))
    return failure();
  if (part.getInstructionWidth() != 2 * getReductionBuffer().getType().getSums())
    return emitOpError("results in ")
           << part << ", and its threads get " << getReductionBuffer().getType().getSums() << " sums each";
  return success();
}
