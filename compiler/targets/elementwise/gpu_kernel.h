// Element-wise kernels as instructions of a GPU's threads.
#pragma once

#include "dialects/tile/tile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace compiler {

/// A module of the llvm and nvvm dialects that holds the kernel, for blocks of gpuThreads(kernel), which go
/// through its tasks (gpuTask) in any number. Functions of math have been expanded (expand-math).
/// loadAuxiliaryDialects has been called for the kernel's context, and the dialect math is loaded. Throws
/// Failure with what cannot be lowered.
mlir::OwningOpRef<mlir::ModuleOp> gpuElementwiseModule(tile::ElementwiseOp kernel);

} // namespace compiler
