// Instructions that only some threads run, in functions that are blocks already.
#ifndef ALGCTL_COMPILER_TARGETS_NVIDIA_CONDITIONAL_H
#define ALGCTL_COMPILER_TARGETS_NVIDIA_CONDITIONAL_H

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

} // namespace compiler

#endif
