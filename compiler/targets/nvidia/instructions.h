// What the lowerings of `sm` share: small pieces of arithmetic on 32-bit integers and addresses.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

#include <cstdint>

namespace compiler {

/// Address spaces of NVPTX.
enum class Space : unsigned { Generic = 0, Global = 1, Shared = 3, ClusterShared = 7 };

/// Writes instructions at a builder's place; the same arithmetic written twice is for CSE to find.
class Instructions {
public:
  Instructions(mlir::OpBuilder &builder, mlir::Location location) : builder_(builder), location_(location) {}

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b);
  mlir::Value subtract(mlir::Value a, int64_t b);
  mlir::Value multiply(mlir::Value a, int64_t b);
  mlir::Value bitAnd(mlir::Value a, int64_t b);
  mlir::Value bitOr(mlir::Value a, int64_t b);
  mlir::Value bitXor(mlir::Value a, mlir::Value b);
  mlir::Value shiftLeft(mlir::Value a, int64_t bits);
  mlir::Value shiftRight(mlir::Value a, int64_t bits);
  mlir::Value shiftRight(mlir::Value a, mlir::Value bits);
  mlir::Value equal(mlir::Value a, int64_t b);
  /// Unsigned.
  mlir::Value below(mlir::Value a, int64_t b);
  mlir::Value below(mlir::Value a, mlir::Value b);
  mlir::Value divide(mlir::Value a, int64_t b);
  mlir::Value remainder(mlir::Value a, int64_t b);
  /// i1; null stands for what always holds.
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value choose(mlir::Value condition, mlir::Value yes, mlir::Value no);

  /// An i32, unsigned, as i64.
  mlir::Value wide(mlir::Value a);
  /// On i64.
  mlir::Value addWide(mlir::Value a, mlir::Value b);
  mlir::Value multiplyWide(mlir::Value a, mlir::Value b);
  mlir::Value multiplyWide(mlir::Value a, int64_t b);

  /// `pointer` + bytes, i32 (signed) or i64, in its address space.
  mlir::Value advance(mlir::Value pointer, mlir::Value bytes);
  mlir::Value advance(mlir::Value pointer, int64_t bytes);
  /// The 32-bit address of a pointer to shared memory.
  mlir::Value address(mlir::Value pointer);

  /// Index of this thread in its block, of its warpgroup in the block, of the thread in that warpgroup, of
  /// the thread in its warp.
  mlir::Value thread();
  mlir::Value warpgroup();
  mlir::Value threadInWarpgroup();
  mlir::Value lane();
  /// Index of this warp in the block.
  mlir::Value warp();

private:
  mlir::OpBuilder &builder_;
  mlir::Location location_;
};

mlir::LLVM::LLVMPointerType pointerTo(mlir::MLIRContext *context, Space space);

} // namespace compiler
