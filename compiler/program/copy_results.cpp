// alg-copy-results: results that are one value become values of their own.
#include "compiler/program/passes.h"
#include "dialects/alg/alg.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

namespace compiler {
#define GEN_PASS_DEF_ALGCOPYRESULTS
#include "compiler/program/passes.h.inc"
} // namespace compiler

using namespace mlir;

/// The tensor of a view whose elements are those of another, one by one.
static Value copyOf(OpBuilder &builder, alg::GatherOp gather) {
  const Location location = gather.getLoc();
  Value view = gather.getView();
  auto map =
      alg::MapOp::create(builder, location, view.getType(), view, ValueRange(), ValueRange(), ValueRange());
  {
    OpBuilder::InsertionGuard guard(builder);
    Block &body = map.getBody().front();
    builder.setInsertionPointToEnd(&body);
    alg::YieldOp::create(builder, location, body.getArgument(0));
  }
  return alg::GatherOp::create(builder, location, map.getResult());
}

/// The same operation once more. Its number keeps it apart from the first where equal operations are merged.
static Value computedAgain(OpBuilder &builder, Operation *op, unsigned number) {
  Operation *again = builder.clone(*op);
  again->setAttr("copy", builder.getI64IntegerAttr(number));
  return again->getResult(0);
}

namespace {

struct AlgCopyResults : compiler::impl::AlgCopyResultsBase<AlgCopyResults> {
  void runOnOperation() override {
    getOperation().walk([](func::ReturnOp end) {
      OpBuilder builder(end);
      llvm::SmallDenseSet<Value> seen;
      for (OpOperand &operand : end->getOpOperands())
        if (!seen.insert(operand.get()).second) {
          Operation *op = operand.get().getDefiningOp();
          if (auto gather = dyn_cast_or_null<alg::GatherOp>(op))
            operand.set(copyOf(builder, gather));
          else if (op && op->getNumResults() == 1 && isPure(op)) // a reduction, or arithmetic of such
            operand.set(computedAgain(builder, op, operand.getOperandNumber()));
        }
    });
  }
};

} // namespace
