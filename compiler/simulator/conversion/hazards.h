// Ops of the llvm dialect that compute the same on host and GPU, but not whatever their operands are: what
// LLVM leaves undefined differs from machine to machine, and x86 traps where the GPU goes on. And loops: one
// that calls nothing of the model would never end.
#pragma once

#include "compiler/simulator/conversion/call_builder.h"

namespace compiler {

/// Whether an op needs a check before it: a division by what may be zero, a shift by what may be the width or
/// more, an element of a vector at what may be no index, llvm.unreachable, and a branch to a block that comes
/// earlier in the function, or to its own: every loop has one.
bool isHazard(mlir::Operation *op);

/// Builds the check.
void guardHazard(mlir::Operation *op, CallBuilder &call);

} // namespace compiler
