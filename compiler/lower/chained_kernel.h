// The CPU's kernel of two layers: products of what other products of the same rows have left.
#pragma once

#include "compiler/lower/kernel_builder.h"

namespace compiler {

/// Where the builder stands: Y = second(first(X)), in one kernel. A worker holds its rows of X, and of the
/// result of the first layer, which reaches no matrix in memory. Before an output group of the second layer
/// it makes those groups of the first one's result that the terms of this output group read and that it has
/// not made yet.
///
/// The operands are X, the weight matrices of the first layer and of the last, what the maps of the first
/// layer read and those of the last, and the results of the last. The first layer has one result, which the
/// last multiplies; both schedules own the same types and rows.
tile::KernelOp writeChainedKernel(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                                  KernelBuilder &first, KernelBuilder &last);

} // namespace compiler
