// Whether the two layers of a kernel are better a kernel each.
#pragma once

#include "compiler/pipeline/pipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace compiler {

/// Whether a function that alg-fuse has made has products of what other products of it leave.
bool hasTwoLayers(mlir::func::FuncOp function);

/// Why such a function is to be a kernel for each layer: a target of the compilation has no kernels of two
/// (the steps of a bundle are the same for all its targets), or they are predicted to take longer. Nothing
/// where one kernel is better.
std::optional<std::string> objectionToLayers(mlir::func::FuncOp function, const CompileOptions &options);

} // namespace compiler
