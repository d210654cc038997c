// Partitions of a block's warps, and who is at the ends of the pipes between them.
#include "dialects/sm/pipe_ends.h"

using namespace mlir;
using namespace sm;

/// The most warpgroups that a block has.
static constexpr int64_t most_warpgroups = most_threads / warpgroup_threads;

int64_t PartitionOp::getThreads() { return static_cast<int64_t>(getWarpgroups()) * warpgroup_threads; }

int64_t PartitionOp::getWarpgroupsOfTurn() {
  return static_cast<int64_t>(getWarpgroups()) / static_cast<int64_t>(getTurns().value_or(1));
}

int64_t sm::registersAtStart(int64_t threads) {
  return std::min(register_file / threads, most_registers) / register_step * register_step;
}

LogicalResult PartitionOp::verify() {
  if (getWarpgroups() < 1 || static_cast<int64_t>(getWarpgroups()) > most_warpgroups)
    return emitOpError("has 1 to ") << most_warpgroups << " warpgroups of " << warpgroup_threads
                                    << " threads, got " << getWarpgroups();
  if (getRegisters() < 24 || getRegisters() > 256 || getRegisters() % register_step != 0)
    return emitOpError("gets 24 to 256 registers per thread, a multiple of ")
           << register_step << ", got " << getRegisters();
  if (getTurns() && (*getTurns() < 2 || getWarpgroups() % *getTurns() != 0))
    return emitOpError("has 2 or more parts of as many warpgroups each that take turns; ")
           << *getTurns() << " do not cut up " << getWarpgroups();
  return success();
}

//===--------------------------------------------------------------------------------------------===//
// The ends of pipes
//===--------------------------------------------------------------------------------------------===//

bool sm::isProducing(Operation *step) { return isa<ProduceOp, ProducerAcquireOp, ProducerCommitOp>(step); }

PipeEnds sm::endsOf(Value pipe) {
  PipeEnds ends;
  for (Operation *step : pipe.getUsers())
    if (auto partition = step->getParentOfType<PartitionOp>())
      (isProducing(step) ? ends.producers : ends.consumers).insert(partition);
  return ends;
}

/// Whether the partition has a step of this kind at the pipe.
template <class Step> static bool hasStep(Value pipe, Operation *partition) {
  return llvm::any_of(pipe.getUsers(), [&](Operation *user) {
    return isa<Step>(user) && user->getParentOfType<PartitionOp>() == partition;
  });
}

/// Of a pipe with stages, each end takes them and gives them on.
static LogicalResult verifyStages(Operation *pipe, Value value, const PipeEnds &ends) {
  for (Operation *partition : ends.producers)
    if (!hasStep<ProducerAcquireOp>(value, partition) || !hasStep<ProducerCommitOp>(value, partition))
      return pipe->emitOpError("is filled by @") << cast<PartitionOp>(partition).getSymName()
                                                 << ", which has to acquire stages and to commit them";
  for (Operation *partition : ends.consumers)
    if (!hasStep<ConsumerWaitOp>(value, partition) || !hasStep<ConsumerReleaseOp>(value, partition))
      return pipe->emitOpError("is emptied by @") << cast<PartitionOp>(partition).getSymName()
                                                  << ", which has to wait for stages and to release them";
  return success();
}

static LogicalResult verifyPipe(Operation *pipe) {
  Value value = pipe->getResult(0);
  for (Operation *step : value.getUsers())
    if (!step->getParentOfType<PartitionOp>())
      return step->emitOpError("stands in no sm.partition: pipes are between those");
  const PipeEnds ends = endsOf(value);
  auto name = [](Operation *partition) { return cast<PartitionOp>(partition).getSymName(); };
  if (ends.producers.empty() && ends.consumers.empty())
    return pipe->emitOpError("is between no partitions: nobody produces into it or consumes from it");
  if (ends.producers.empty())
    return pipe->emitOpError("has nobody who produces into it: @")
           << name(ends.consumers.front()) << " would wait forever";
  if (ends.producers.size() > 1)
    return pipe->emitOpError("has one partition that produces into it, but @")
           << name(ends.producers[0]) << " does and @" << name(ends.producers[1]);
  if (ends.consumers.empty())
    return pipe->emitOpError("has nobody who consumes from it: @")
           << name(ends.producers.front()) << " would wait forever once its stages are full";
  if (ends.consumers.contains(ends.producers.front()))
    return pipe->emitOpError("is filled and emptied by @")
           << name(ends.producers.front()) << ": pipes are between different partitions";
  auto staged = dyn_cast<StagedPipeOp>(pipe);
  if (staged && staged.getInTurn())
    for (Operation *partition : ends.consumers)
      if (!cast<PartitionOp>(partition).getTurns())
        return pipe->emitOpError("has stages that parts take in turn, but @")
               << name(partition) << ", which empties it, has no parts";
  return staged ? verifyStages(pipe, value, ends) : success();
}

LogicalResult KernelOp::verifyRegions() {
  int64_t warpgroups = 0, registers = 0;
  for (PartitionOp partition : getBody().getOps<PartitionOp>()) {
    warpgroups += static_cast<int64_t>(partition.getWarpgroups());
    registers += partition.getThreads() * static_cast<int64_t>(partition.getRegisters());
  }
  if (warpgroups > most_warpgroups)
    return emitOpError("has partitions of ")
           << warpgroups << " warpgroups together, of " << most_warpgroups << " that a block can have";
  const int64_t threads = warpgroups * warpgroup_threads;
  if (threads > 0 && registers > threads * registersAtStart(threads))
    return emitOpError("has partitions that take ")
           << registers << " registers together, of " << threads * registersAtStart(threads) << " that their "
           << threads << " threads start with";
  for (Operation &op : getBody().front())
    if (isa<PipeOp, StagedPipeOp>(op) && failed(verifyPipe(&op)))
      return failure();
  return success();
}

//===--------------------------------------------------------------------------------------------===//
// Values in pipes
//===--------------------------------------------------------------------------------------------===//

LogicalResult PipeOp::verify() {
  if (getStages() && static_cast<int64_t>(*getStages()) < 1)
    return emitOpError("has at least one stage, got ") << static_cast<int64_t>(*getStages());
  return success();
}

LogicalResult ProduceOp::verify() {
  if (TypeRange(getPipe().getType().getBlocks()) != getBlocks().getTypes())
    return emitOpError("passes ") << getBlocks().getTypes() << " through " << getPipe().getType();
  return success();
}

LogicalResult ConsumeOp::verify() {
  if (TypeRange(getPipe().getType().getBlocks()) != getBlocks().getTypes())
    return emitOpError("takes ") << getBlocks().getTypes() << " out of " << getPipe().getType();
  return success();
}
