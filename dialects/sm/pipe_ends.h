// Which partitions are at the ends of a pipe.
#pragma once

#include "dialects/sm/sm.h"

#include "llvm/ADT/SetVector.h"

namespace sm {

/// Partitions, in no particular order. In a kernel that verifies there is one producer, which is no consumer,
/// and at least one consumer.
struct PipeEnds {
  llvm::SmallSetVector<mlir::Operation *, 2> producers, consumers;

  PartitionOp producer() const { return mlir::cast<PartitionOp>(producers.front()); }
};

/// Of an sm.pipe or an sm.staged_pipe.
PipeEnds endsOf(mlir::Value pipe);

/// Whether a step at a pipe is its producer's, or a consumer's.
bool isProducing(mlir::Operation *step);

} // namespace sm
