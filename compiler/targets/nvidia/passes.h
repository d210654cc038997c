// The passes of passes.td.
#pragma once

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace compiler {

#define GEN_PASS_DECL
#include "compiler/targets/nvidia/passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/targets/nvidia/passes.h.inc"

/// convert-sm-to-nvvm and the standard passes that tidy up after it.
void addSmToNvvm(mlir::OpPassManager &passes);

/// Registers the passes and the pipeline `sm-to-nvvm`, for textual pipelines.
void registerNvidiaPipelines();

} // namespace compiler
