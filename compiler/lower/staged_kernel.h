// Writes the tile kernel of one projection for machines with asynchronous copies: one tile of the result for
// each worker.
#ifndef ALGCTL_COMPILER_LOWER_STAGED_KERNEL_H
#define ALGCTL_COMPILER_LOWER_STAGED_KERNEL_H

#include "compiler/lower/epilogue.h"

namespace compiler {

/// Y = X (times) W where `builder` stands, or as the layout's mode says dX = dY (times) W^T. `element` is the
/// type of the operands in memory, `result` that of the result, to which the epilogue's maps of the sums are
/// rounded.
tile::KernelOp writeStagedProduct(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                                  tile::LayoutAttr layout, tile::StagedAttr schedule, mlir::Type element,
                                  mlir::Type result, const Epilogue &epilogue);

} // namespace compiler

#endif
