// alg-copy-results: results that are one value become values of their own.
#include "compiler/program/passes.h"
#include "dialects/alg/alg.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
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

namespace {

struct AlgCopyResults : compiler::impl::AlgCopyResultsBase<AlgCopyResults> {
  void runOnOperation() override {
    getOperation().walk([](func::ReturnOp end) {
      OpBuilder builder(end);
      llvm::SmallDenseSet<Value> seen;
      for (OpOperand &operand : end->getOpOperands())
        if (!seen.insert(operand.get()).second)
          if (auto gather = operand.get().getDefiningOp<alg::GatherOp>())
            operand.set(copyOf(builder, gather));
    });
  }
};

} // namespace
