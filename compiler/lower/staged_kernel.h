// Writes the tile kernel of products for machines with asynchronous copies: one tile of the result for each
// worker.
#pragma once

#include "compiler/lower/product_operands.h"

namespace compiler {

/// What the layout's mode says, where `builder` stands. Of mode k Y = X (times) W, or of mode i dX = dY
/// (times) W^T, for each weight matrix, and the epilogue's maps of their sums. Of mode j dW = X^T (times) dY,
/// plus beta times what dW was: the epilogue has its one result, and nothing else. Sums stay in registers
/// while the worker goes through the terms of its tile, and for mode j through the rows of each.
tile::KernelOp writeStagedProduct(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                                  const ProductsOfKernel &products, tile::StagedAttr schedule);

} // namespace compiler
