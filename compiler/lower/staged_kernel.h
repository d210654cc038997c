// Writes the tile kernel of one projection for machines with asynchronous copies: one tile of the result for
// each worker.
#ifndef ALGCTL_COMPILER_LOWER_STAGED_KERNEL_H
#define ALGCTL_COMPILER_LOWER_STAGED_KERNEL_H

#include "dialects/tile/tile.h"

#include "mlir/IR/Builders.h"

namespace compiler {

/// Y = X (times) W where `builder` stands, or as the layout's mode says dX = dY (times) W^T. `element` is the
/// type of the operands in memory, `result` that of the result. With a bias, Y = X (times) W + b, and b is an
/// operand before Y.
tile::KernelOp writeStagedProduct(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                                  tile::LayoutAttr layout, tile::StagedAttr schedule, mlir::Type element,
                                  mlir::Type result, bool bias = false);

} // namespace compiler

#endif
