// The kernel of two layers for few rows: vector reductions.
#pragma once

#include "compiler/lower/product_operands.h"

namespace compiler {

/// One kernel of a layer and of the one that multiplies its results, for rows of the batch, each perhaps of a
/// type of its own: a task makes the input groups of its rows' terms, then their products. `hidden` is the
/// schedule of the first layer, of the same rows and threads.
tile::KernelOp writeReducedChainedKernel(mlir::OpBuilder &builder, mlir::Location location,
                                         llvm::StringRef name, const ProductsOfKernel &first,
                                         tile::ReducedAttr hidden, const ProductsOfKernel &last,
                                         tile::ReducedAttr schedule);

} // namespace compiler
