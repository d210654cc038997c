// convert-elementwise-to-tile: functions without a contraction become element-wise kernels.
#include "compiler/lower/elementwise_function.h"
#include "compiler/targets/elementwise/passes.h"

namespace compiler {
#define GEN_PASS_DEF_CONVERTELEMENTWISETOTILE
#include "compiler/targets/elementwise/passes.h.inc"
} // namespace compiler

using namespace mlir;

namespace {

/// Whether a function is a kernel of a product, or a program of several kernels.
bool isOther(func::FuncOp function) {
  return function.isExternal() || function
                                      .walk([](Operation *op) {
                                        return isa<alg::ContractOp, func::CallOp>(op)
                                                   ? WalkResult::interrupt()
                                                   : WalkResult::advance();
                                      })
                                      .wasInterrupted();
}

struct ConvertElementwiseToTile : compiler::impl::ConvertElementwiseToTileBase<ConvertElementwiseToTile> {
  using ConvertElementwiseToTileBase::ConvertElementwiseToTileBase;

  void runOnOperation() override {
    for (func::FuncOp function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (isOther(function))
        continue;
      if (failed(compiler::writeElementwise(function, adds ? compiler::HeldResults::AddedTo
                                                           : compiler::HeldResults::Overwritten)))
        return signalPassFailure();
      function.erase();
    }
  }
};

} // namespace
