// What is left of `sm` in a module of instructions, sm.settle, as LLVM IR.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace compiler {

/// Lets modules of the context that contain sm.settle be translated: it becomes empty inline assembly whose
/// outputs are its inputs, so that no use of the sums can move before the wait in front of it.
void registerSettleTranslation(mlir::MLIRContext &context);

} // namespace compiler
