// The `sm` dialect: what one thread block does on a streaming multiprocessor. See sm_dialect.td for the
// manual.
#pragma once

#include "dialects/tile/tile.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace sm {

/// Threads of a warpgroup, and rows of the sums that it holds.
inline constexpr int64_t warpgroup_threads = 128, warpgroup_rows = 64;
/// Registers of an SM, and the most that one thread can have.
inline constexpr int64_t register_file = 65536, most_registers = 255;
/// They are dealt out in steps of so many.
inline constexpr int64_t register_step = 8;
/// Threads of a warp and of the largest block, and the tile of mma.sync's accumulators.
inline constexpr int64_t warp_threads = 32, most_threads = 1024, mma_rows = 16, mma_columns = 8;
/// Depth of one tensor-core instruction on bf16.
inline constexpr int64_t mma_depth = 16;
/// The longest side of a tensor map's box.
inline constexpr int64_t longest_box_side = 256;
/// Of an operand whose rows come in runs that are joined (runtime/gpu_kernel_abi.h).
inline constexpr int64_t maps_of_joined_runs = 4;
/// Blocks of threads that a device surely runs as a cluster.
inline constexpr int64_t most_cluster = 8;
/// Rows of a panel after which a swizzle begins anew, and the most parts that blocks of a cluster copy for
/// each other.
inline constexpr int64_t swizzle_rows = 8, most_parts = 8;
/// Named barriers of the parts of a partition.
inline constexpr int64_t part_barriers = 6;

/// Registers that each thread of a block of so many has before partitions change it.
int64_t registersAtStart(int64_t threads);

namespace impl {
mlir::LogicalResult verifyRunsInOneThread(mlir::Operation *op);
mlir::LogicalResult verifyRunsInAllThreads(mlir::Operation *op);
} // namespace impl

/// Ops that one thread runs for its warpgroup: they stand inside an `sm.elect`.
template <class Op> class RunsInOneThread : public mlir::OpTrait::TraitBase<Op, RunsInOneThread> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return impl::verifyRunsInOneThread(op); }
};

/// Ops that all threads of the block run together: they stand in no partition.
template <class Op> class RunsInAllThreads : public mlir::OpTrait::TraitBase<Op, RunsInAllThreads> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return impl::verifyRunsInAllThreads(op); }
};

} // namespace sm

#include "dialects/sm/sm_dialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/sm/sm_types.h.inc"
#define GET_OP_CLASSES
#include "dialects/sm/sm_ops.h.inc"
