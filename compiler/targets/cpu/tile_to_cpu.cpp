// convert-tile-to-cpu: every tile.kernel becomes a function of loops and vector operations.
#include "compiler/lower/passes.h"
#include "compiler/targets/cpu/kernel_emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace compiler {
#define GEN_PASS_DEF_CONVERTTILETOCPU
#include "compiler/lower/passes.h.inc"
} // namespace compiler

using namespace mlir;

namespace {
struct ConvertTileToCpu : compiler::impl::ConvertTileToCpuBase<ConvertTileToCpu> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (tile::KernelOp kernel : llvm::make_early_inc_range(module.getOps<tile::KernelOp>())) {
      if (!kernel.getThreadSchedule()) {
        kernel.emitOpError(
            "has operands that come in stages; the CPU target lowers kernels with a #tile.schedule");
        return signalPassFailure();
      }
      if (failed(compiler::KernelEmitter(module, kernel).emit()))
        return signalPassFailure();
      kernel.erase();
    }
  }
};
} // namespace
