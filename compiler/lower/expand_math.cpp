// expand-math: functions of maps that no machine computes, as arithmetic that every machine has.
#include "compiler/lower/function_identities.h"
#include "compiler/lower/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace compiler {
#define GEN_PASS_DEF_EXPANDMATH
#include "compiler/lower/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

/// One instruction, or two, of each target, or one of the only target that there is by now; everything else
/// becomes a polynomial or is refused.
bool isInstruction(Operation *op) {
  if (auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
      flags && bitEnumContainsAny(flags.getFastMathFlagsAttr().getValue(), arith::FastMathFlags::afn))
    return true;
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::FloorOp, math::FmaOp,
             math::RoundEvenOp, math::RsqrtOp, math::SqrtOp, math::TruncOp>(op);
}

struct ExpandMath : compiler::impl::ExpandMathBase<ExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    math::populateExpansionPatterns(patterns, {"exp2", "round"});
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef) { return true; });
    const FrozenRewritePatternSet frozen(std::move(patterns));
    // Folding would take constants out of the maps.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    WalkResult result = getOperation().walk([&](Operation *map) {
      if (!isa<tile::MapOp, tile::ElementwiseOp>(map))
        return WalkResult::advance();
      Region &body = map->getRegion(0);
      replaceByIdentities(body.front());
      SmallVector<Operation *> ops;
      for (Operation &op : body.front())
        if (isa<math::MathDialect>(op.getDialect()) && !isInstruction(&op))
          ops.push_back(&op);
      // Those alone: patterns would expand instructions as well.
      if (!ops.empty() && failed(applyOpPatternsGreedily(ops, frozen, config))) {
        map->emitOpError("has code that cannot be expanded");
        return WalkResult::interrupt();
      }
      for (Operation &op : body.front())
        if (isa<arith::RemFOp>(op) || (isa<math::MathDialect>(op.getDialect()) && !isInstruction(&op))) {
          op.emitOpError("is a function that kernels have no arithmetic for");
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
