// How the program of a thread block is dealt out to partitions.
#pragma once

#include "dialects/sm/sm.h"

#include "mlir/IR/Builders.h"

namespace compiler {

/// A partition at the end of the kernel; the builder stands in its body afterwards.
void addPartition(mlir::OpBuilder &builder, sm::KernelOp kernel, llvm::StringRef name, int64_t warpgroups,
                  int64_t registers);

/// The two partitions of a kernel of two layers. Blocks that are multiplied by the same rows beside each
/// other pass through one pipe together, and all of the same types through the same pipe, whichever loop they
/// are for: its stages are for whatever comes next.
mlir::LogicalResult splitLayers(sm::KernelOp kernel);

/// Two warpgroups in place of the one that multiplies: they take the chunks of each hidden group in turn, so
/// that one maps while the other multiplies, and the second one adds up the sums of both. Fails with a
/// message where tiles have more than one warpgroup, or groups a single chunk.
mlir::LogicalResult pingPongLayers(sm::PartitionOp partition, int64_t turns);

} // namespace compiler
