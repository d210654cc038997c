// Writes the tile kernel of one product for few rows: vector reductions over rows of the batch as they lie.
#ifndef ALGCTL_COMPILER_LOWER_REDUCED_KERNEL_H
#define ALGCTL_COMPILER_LOWER_REDUCED_KERNEL_H

#include "dialects/tile/tile.h"

#include "mlir/IR/Builders.h"

namespace compiler {

/// Y = X (times) W where `builder` stands, or with a bias, an operand before Y, Y = X (times) W + b.
/// `element` is the type of X, W and the bias in memory, `result` that of Y. The layout is of mode k.
tile::KernelOp writeReducedProduct(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                                   tile::LayoutAttr layout, tile::ReducedAttr schedule, mlir::Type element,
                                   mlir::Type result, bool bias = false);

} // namespace compiler

#endif
