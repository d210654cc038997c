// The kernel of two layers whose operands come in stages.
#pragma once

#include "compiler/lower/product_operands.h"

namespace compiler {

/// One kernel of a layer and of the one that multiplies its results: a tile's terms make the input groups
/// that they read, each once for a task. `hidden` is the schedule of the first layer, whose tiles are as wide
/// as the other one's products are deep at a time.
tile::KernelOp writeStagedChainedKernel(mlir::OpBuilder &builder, mlir::Location location,
                                        llvm::StringRef name, const ProductsOfKernel &first,
                                        tile::StagedAttr hidden, const ProductsOfKernel &last,
                                        tile::StagedAttr schedule);

} // namespace compiler
