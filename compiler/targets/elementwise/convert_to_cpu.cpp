// convert-elementwise-to-cpu: every tile.elementwise becomes a function of loops and vectors.
#include "compiler/targets/elementwise/cpu_emitter.h"
#include "compiler/targets/elementwise/passes.h"

namespace compiler {
#define GEN_PASS_DEF_CONVERTELEMENTWISETOCPU
#include "compiler/targets/elementwise/passes.h.inc"
} // namespace compiler

using namespace mlir;

namespace {
struct ConvertElementwiseToCpu : compiler::impl::ConvertElementwiseToCpuBase<ConvertElementwiseToCpu> {
  using ConvertElementwiseToCpuBase::ConvertElementwiseToCpuBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (lanes < 2) {
      module.emitError("a vector has at least 2 elements, got ") << lanes.getValue();
      return signalPassFailure();
    }
    for (tile::ElementwiseOp kernel : llvm::make_early_inc_range(module.getOps<tile::ElementwiseOp>())) {
      if (failed(compiler::CpuElementwiseEmitter(module, kernel, lanes).emit()))
        return signalPassFailure();
      kernel.erase();
    }
  }
};
} // namespace
