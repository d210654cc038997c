// Where a view comes from.
#include "dialects/alg/alg.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace alg;

Type alg::elementTypeOf(Value value) {
  if (auto view = dyn_cast<SlotsType>(value.getType()))
    return view.getElementType();
  return cast<ShapedType>(value.getType()).getElementType();
}

SlotsOp alg::findRowSchedule(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    auto type = dyn_cast<SlotsType>(view.getType());
    if (!type || !type.getRowTypes())
      return {};
    if (auto slots = dyn_cast<SlotsOp>(op))
      return slots;
    // The first operand is the one that brings the rows: of a product its activations.
    if (!isa<ContractOp, MapOp, RegroupOp>(op))
      return {};
    view = op->getOperand(0);
  }
  return {};
}

/// The first product that satisfies `wanted` among those that a view is made of.
static ContractOp findProductIf(Value view, function_ref<bool(ContractOp)> wanted) {
  SmallVector<Value> pending = {view};
  SmallPtrSet<Operation *, 8> seen;
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (auto contract = dyn_cast<ContractOp>(op)) {
      if (wanted(contract))
        return contract;
    } else if (isa<MapOp, RegroupOp>(op)) {
      llvm::append_range(pending, op->getOperands());
    }
  }
  return {};
}

ContractOp alg::findProduct(Value view) {
  return findProductIf(view, [](ContractOp) { return true; });
}

ContractOp alg::findNonassociativeProduct(Value view) {
  return findProductIf(view, [](ContractOp contract) { return !contract.getAlgebra().isAssociative(); });
}
