// The passes of the Hopper target; passes.td is their manual.
#pragma once

#include "dialects/sm/sm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace compiler {

#define GEN_PASS_DECL
#include "compiler/targets/hopper/passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/targets/hopper/passes.h.inc"

struct TileToSmOptions {
  int64_t stages = 0; ///< of pipes that do not say how many; 0: those of the schedule
};

/// The whole way from a tile program to the asynchronous program of a thread block.
void addTileToSm(mlir::OpPassManager &passes, const TileToSmOptions &options = {});

/// Registers the passes above and the pipeline `tile-to-sm`, for textual pipelines.
void registerHopperPasses();

} // namespace compiler
