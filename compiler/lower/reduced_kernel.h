// Writes the tile kernel of one product for few rows: vector reductions over rows of the batch as they lie.
#ifndef ALGCTL_COMPILER_LOWER_REDUCED_KERNEL_H
#define ALGCTL_COMPILER_LOWER_REDUCED_KERNEL_H

#include "compiler/lower/epilogue.h"

namespace compiler {

/// Y = X (times) W where `builder` stands. `element` is the type of X and W in memory, `result` that of Y, to
/// which the epilogue's maps of the sums are rounded. The layout is of mode k.
tile::KernelOp writeReducedProduct(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                                   tile::LayoutAttr layout, tile::ReducedAttr schedule, mlir::Type element,
                                   mlir::Type result, const Epilogue &epilogue);

} // namespace compiler

#endif
