// A program as calls of its kernels.
#pragma once

#include "compiler/program/kernel_groups.h"

namespace compiler {

/// Rewrites a function of one block into calls of private functions, one for each group, which are added to
/// the module before it, called after the program and numbered. Their arguments are tensors and numbers, as
/// views are made where they are read: matrices first, then what gives rows their types, then what has one
/// element for each column or row. Failure after an error where the types of the rows of a view are not
/// known.
mlir::LogicalResult outlineKernels(mlir::func::FuncOp function, llvm::ArrayRef<KernelGroup> groups);

} // namespace compiler
