// Which vectors of a block each thread copies into shared memory.
#pragma once

#include "compiler/targets/nvidia/plain_map.h"

namespace compiler {

/// A vector that this thread copies.
struct VectorCopy {
  mlir::Value source;  ///< in global memory; of no use where the vector is not `present`
  mlir::Value target;  ///< in shared memory
  mlir::Value present; ///< i1: the operand has it; what it does not have becomes zeros
  mlir::Value mine;    ///< i1: there is a vector left for this thread; null: for every thread
};

/// Deals the vectors of a block out to `threads` threads: those of one row of a panel to neighbours, so that
/// a warp reads whole stretches of rows. `stage_start` is where the block shall lie.
llvm::SmallVector<VectorCopy> distributeVectors(mlir::OpBuilder &builder, mlir::Location location,
                                                sm::MapsType maps, sm::BufferType buffer,
                                                const PlainBlock &block, mlir::Value stage_start,
                                                int64_t threads);

} // namespace compiler
