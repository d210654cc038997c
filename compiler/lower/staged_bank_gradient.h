// Writes the tile kernel of the bank's gradient for machines with asynchronous copies: one tile of dW for
// each worker.
#ifndef ALGCTL_COMPILER_LOWER_STAGED_BANK_GRADIENT_H
#define ALGCTL_COMPILER_LOWER_STAGED_BANK_GRADIENT_H

#include "dialects/tile/tile.h"

#include "mlir/IR/Builders.h"

namespace compiler {

/// dW = X^T (times) dY, plus beta times what dW was, where `builder` stands: the contraction of a layout of
/// mode j. `element` is the type of X and dY in memory, `result` that of dW. Sums stay in registers while the
/// worker goes through the rows of the terms of its block.
tile::KernelOp writeStagedBankGradient(mlir::OpBuilder &builder, mlir::Location location,
                                       llvm::StringRef name, tile::LayoutAttr layout,
                                       tile::StagedAttr schedule, mlir::Type element, mlir::Type result);

} // namespace compiler

#endif
