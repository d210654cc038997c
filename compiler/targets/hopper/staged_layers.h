// Products of kernels of two layers: of rows that stay in shared memory or are in registers.
#pragma once

#include "compiler/targets/hopper/staged_blocks.h"

namespace compiler {

/// Whether an op multiplies blocks; whether it is one of those that only kernels of two layers have. Neither
/// is true of null.
bool isProductOfBlocks(mlir::Operation *op);
bool isProductOfLayers(mlir::Operation *op);
/// Whether it multiplies pieces of this block as rows that stay.
bool isHeldBy(mlir::Operation *op, mlir::Value block);

/// Shared memory for rows that the block itself computes, and what writes them: behind it their warpgroup's
/// products see them. Each piece has a place in the buffer.
void allocateKeptRows(sm::KernelOp kernel, StagedBlocks &blocks);

/// Such products become those of stages, pieces and registers. Those that stand beside each other with one
/// depth stay so. Fails with a message for a block that comes through no pipe.
mlir::LogicalResult useStagesOfLayers(sm::KernelOp kernel, const StagedBlocks &blocks);

} // namespace compiler
