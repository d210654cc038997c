// Writes the tile kernel of products for few rows: vector reductions over rows of the batch as they lie.
#ifndef ALGCTL_COMPILER_LOWER_REDUCED_KERNEL_H
#define ALGCTL_COMPILER_LOWER_REDUCED_KERNEL_H

#include "compiler/lower/product_operands.h"

namespace compiler {

/// Y = X (times) W for each bank where `builder` stands, and the epilogue's maps of their sums. The layout is
/// of mode k.
tile::KernelOp writeReducedProduct(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                                   const ProductsOfKernel &products, tile::ReducedAttr schedule);

} // namespace compiler

#endif
