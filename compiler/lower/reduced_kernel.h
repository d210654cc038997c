// Writes the tile kernel of products for few rows: vector reductions over rows of the batch as they lie.
#pragma once

#include "compiler/lower/product_operands.h"

namespace compiler {

/// Y = X (times) W for each weight matrix where `builder` stands, and the epilogue's maps of their sums. The
/// layout is of mode k.
tile::KernelOp writeReducedProduct(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                                   const ProductsOfKernel &products, tile::ReducedAttr schedule);

} // namespace compiler
