// What the lowerings of `sm` share: places in memory, and places of threads.
#pragma once

#include "compiler/lower/integer_arithmetic.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cstdint>

namespace compiler {

/// Address spaces of NVPTX.
enum class Space : unsigned { Generic = 0, Global = 1, Shared = 3, ClusterShared = 7 };

/// Integer arithmetic on i32, and what threads and addresses of an NVIDIA GPU add to it. `arith` becomes
/// instructions with what is around it.
class Instructions : public IntegerArithmetic {
public:
  Instructions(mlir::OpBuilder &builder, mlir::Location location)
      : IntegerArithmetic(builder, location, builder.getI32Type()) {}

  /// By a power of two these are what indices of threads are, so that CSE finds those that are the same.
  Value divide(Value a, int64_t b) const;
  Value remainder(Value a, int64_t b) const;

  /// `pointer` + bytes, i32 (signed) or i64, in its address space.
  Value advance(Value pointer, Value bytes) const;
  Value advance(Value pointer, int64_t bytes) const;
  /// The 32-bit address of a pointer to shared memory.
  Value address(Value pointer) const;

  /// Index of this thread in its block, of its warpgroup in the block, of the thread in that warpgroup, of
  /// the thread in its warp.
  Value thread() const;
  Value warpgroup() const;
  Value threadInWarpgroup() const;
  Value lane() const;
  /// Index of this warp in the block.
  Value warp() const;
  /// Index of this block in its cluster.
  Value clusterRank() const;
};

mlir::LLVM::LLVMPointerType pointerTo(mlir::MLIRContext *context, Space space);

} // namespace compiler
