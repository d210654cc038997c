// The passes of kernels of vector reductions; passes.td is their manual.
#pragma once

#include "dialects/sm/sm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace compiler {

#define GEN_PASS_DECL
#include "compiler/targets/reduction/passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/targets/reduction/passes.h.inc"

/// convert-tile-to-reduction and the standard passes that leave nvvm behind it. A `dependent` kernel waits
/// for the grid before it.
void addTileToReduction(mlir::OpPassManager &passes, bool dependent);

/// Registers the pass and the pipeline `tile-to-reduction`, for textual pipelines.
void registerReductionPasses();

} // namespace compiler
