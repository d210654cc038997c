// The ops of the llvm dialect: which of them need a check of the model, which a replacement, and which are
// refused.
#pragma once

#include "compiler/simulator/conversion/call_builder.h"

namespace compiler {

enum class HostForm {
  Same,     ///< means on the host what it means on the GPU
  Checked,  ///< a memory access, which needs a check before it
  Replaced, ///< becomes something else
  Unknown   ///< has no meaning on the simulator
};

/// What becomes of an op of the llvm dialect.
HostForm hostForm(mlir::Operation *op);

/// Builds the calls that check a memory access before it is made.
void checkAccess(mlir::Operation *op, CallBuilder &call);

/// Builds what stands for an op of the llvm dialect of HostForm::Replaced.
void replaceLlvmOp(mlir::Operation *op, CallBuilder &call);

} // namespace compiler
