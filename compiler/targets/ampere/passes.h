// The passes of the target sm_80; passes.td is their manual.
#pragma once

#include "dialects/sm/sm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace compiler {

#define GEN_PASS_DECL
#include "compiler/targets/ampere/passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/targets/ampere/passes.h.inc"

/// The whole way from a tile program whose schedule has warps to the asynchronous program of a thread block.
void addTileToCopyingSm(mlir::OpPassManager &passes);

/// Registers the passes above and the pipeline `tile-to-copying-sm`, for textual pipelines.
void registerAmperePasses();

} // namespace compiler
