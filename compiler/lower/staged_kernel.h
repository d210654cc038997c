// Writes the tile kernel of products for machines with asynchronous copies: one tile of the result for each
// worker.
#ifndef ALGCTL_COMPILER_LOWER_STAGED_KERNEL_H
#define ALGCTL_COMPILER_LOWER_STAGED_KERNEL_H

#include "compiler/lower/product_operands.h"

namespace compiler {

/// Y = X (times) W where `builder` stands, or as the layout's mode says dX = dY (times) W^T, for each bank, and
/// the epilogue's maps of their sums.
tile::KernelOp writeStagedProduct(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                                  const ProductsOfKernel &products, tile::StagedAttr schedule);

} // namespace compiler

#endif
