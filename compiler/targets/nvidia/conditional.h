// Instructions that only some threads run, in functions that are blocks already.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace compiler {

/// Runs what `body` writes where the i1 `condition` holds; without a condition, everywhere. The rewriter
/// stands behind it then.
inline void onlyWhere(mlir::ConversionPatternRewriter &rewriter, mlir::Location location,
                      mlir::Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  mlir::Block *before = rewriter.getInsertionBlock();
  mlir::Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
  mlir::Block *then = rewriter.createBlock(after);
  rewriter.setInsertionPointToEnd(before);
  mlir::LLVM::CondBrOp::create(rewriter, location, condition, then, after);
  rewriter.setInsertionPointToEnd(then);
  body();
  mlir::LLVM::BrOp::create(rewriter, location, after);
  rewriter.setInsertionPointToStart(after);
}

/// What memory holds at `address`, a multiple of its `bytes`, where the i1 `condition` holds, which has to be
/// there only then; elsewhere zero. The rewriter stands behind it then.
inline mlir::Value loadWhere(mlir::ConversionPatternRewriter &rewriter, mlir::Location location,
                             mlir::Value condition, mlir::Value address, mlir::Type type, int64_t bytes) {
  mlir::Block *before = rewriter.getInsertionBlock();
  mlir::Value zero = mlir::LLVM::ZeroOp::create(rewriter, location, type);
  mlir::Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
  mlir::Value loaded = after->addArgument(type, location);
  mlir::Block *then = rewriter.createBlock(after);
  rewriter.setInsertionPointToEnd(before);
  mlir::LLVM::CondBrOp::create(rewriter, location, condition, then, mlir::ValueRange(), after, zero);
  rewriter.setInsertionPointToEnd(then);
  mlir::Value value =
      mlir::LLVM::LoadOp::create(rewriter, location, type, address, static_cast<unsigned>(bytes));
  mlir::LLVM::BrOp::create(rewriter, location, value, after);
  rewriter.setInsertionPointToStart(after);
  return loaded;
}

} // namespace compiler
