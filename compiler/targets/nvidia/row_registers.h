// What a thread has in registers of a kernel that reads operands straight into them.
#pragma once

#include "compiler/targets/nvidia/instructions.h"
#include "dialects/sm/sm.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace compiler {

/// A vector of a piece as it is in memory: 32-bit words of two bf16 each, or the one 16-bit number.
inline mlir::Type vectorOf(sm::PieceType piece) {
  const int64_t words = piece.getVector() / 2;
  mlir::Type word = mlir::IntegerType::get(piece.getContext(), words == 0 ? 16 : 32);
  return words > 1 ? mlir::VectorType::get(words, word) : word;
}

/// A view: the address of its first element, and the bytes from row to row, i64.
inline mlir::LLVM::LLVMStructType structOfView(mlir::MLIRContext *context) {
  return mlir::LLVM::LLVMStructType::getLiteral(
      context, {pointerTo(context, Space::Global), mlir::IntegerType::get(context, 64)});
}

} // namespace compiler
