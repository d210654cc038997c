// What is left of `sm` in a module of instructions, as LLVM IR.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace compiler {

/// Lets modules of the context be translated that contain sm.settle, which becomes empty inline assembly
/// whose outputs are its inputs, so that no use of the sums can move before the wait in front of it, and
/// sm.wgmma_from_registers, which becomes the instruction as inline assembly.
void registerSmTranslation(mlir::MLIRContext &context);

} // namespace compiler
