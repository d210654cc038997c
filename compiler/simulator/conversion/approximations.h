// Instructions of the llvm dialect that approximate functions of f32.
#pragma once

#include "compiler/simulator/conversion/call_builder.h"

#include <optional>

namespace compiler {

/// The function of the model that stands for such an instruction; nothing for any other op.
std::optional<llvm::StringRef> modelOfApproximation(mlir::Operation *op);

void replaceApproximation(mlir::Operation *op, llvm::StringRef model, CallBuilder &call);

} // namespace compiler
