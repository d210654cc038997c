// Copies, loads and stores: addresses, masks, coordinates, what lanes exchange before a store, and the blocks
// of a cluster.
#include "tests/mutation/edits.h"
#include "tests/mutation/enumerator.h"

namespace mutation_test {

void Enumerator::sent(LLVM::StoreOp store) {
  const unsigned address = indexOf(store, store.getAddr());
  add("delete", "", [](Operation *op) { op->erase(); });
  add("address", "+16 bytes", furtherOn(address, 16));
}

void Enumerator::received() {
  add("address", "+16 bytes", furtherOn(0, 16));
  add("address", "+2048 bytes", furtherOn(0, 2048));
}

void Enumerator::threadCopy(NVVM::CpAsyncOp copy) {
  const auto bytes = static_cast<int32_t>(copy.getSize());
  add("address", "target +1 vector", furtherOn(0, bytes));
  add("address", "source +1 vector", furtherOn(1, bytes));
  const unsigned size = indexOf(copy, copy.getCpSize());
  add("bytes", "none", [=](Operation *op) {
    OpBuilder build(op);
    op->setOperand(size, constant(build, op->getLoc(), build.getI32Type(), 0));
  });
  add("bytes", "all", [=](Operation *op) {
    OpBuilder build(op);
    op->setOperand(size, constant(build, op->getLoc(), build.getI32Type(), bytes));
  });
  add("bytes", "one element less", [=](Operation *op) {
    OpBuilder build(op);
    op->setOperand(size, constant(build, op->getLoc(), build.getI32Type(), bytes - 2));
  });
}

void Enumerator::rank() {
  for (const int64_t flip : {1, 2})
    add("rank", "other by " + std::to_string(flip), [=](Operation *op) {
      OpBuilder build(op);
      build.setInsertionPointAfter(op);
      Value other = LLVM::XOrOp::create(build, op->getLoc(), op->getResult(0),
                                        constant(build, op->getLoc(), build.getI32Type(), flip));
      op->getResult(0).replaceAllUsesExcept(other, other.getDefiningOp());
    });
}

void Enumerator::multicast(NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp load) {
  if (!load.getMulticastMask())
    return;
  const unsigned index = indexOf(load, load.getMulticastMask());
  for (const int64_t block : {0, 1, 2})
    add("mask", "block " + std::to_string(block), operand<LLVM::XOrOp>(index, int64_t{1} << block));
  add("mask", "all", operand<LLVM::OrOp>(index, 0xf));
  add("mask", "none", [](Operation *op) {
    cast<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(op).getMulticastMaskMutable().clear();
  });
}

void Enumerator::result(LLVM::StoreOp store) {
  add("delete", "", [](Operation *op) { op->erase(); });
  const DataLayout layout = DataLayout::closest(store);
  add("address", "+1",
      furtherOn(1, static_cast<int32_t>(layout.getTypeSize(store.getValue().getType()).getFixedValue())));
  Block *before = store->getBlock()->getSinglePredecessor();
  if (!before || !isa<LLVM::CondBrOp>(before->getTerminator()))
    return;
  add("predicate", "none", [](Operation *op) {
    // What the branch to its block asks holds always.
    auto branch = cast<LLVM::CondBrOp>(op->getBlock()->getSinglePredecessor()->getTerminator());
    OpBuilder build(branch);
    branch.getConditionMutable().assign(constant(build, op->getLoc(), build.getI1Type(), 1));
  });
}

void Enumerator::exchange(NVVM::ShflOp shuffle) {
  const unsigned sent = indexOf(shuffle, shuffle.getVal());
  add("lane", "its own", resultIs(sent));
  const unsigned apart = indexOf(shuffle, shuffle.getOffset());
  add("lane", "half as far", operand<LLVM::LShrOp>(apart, 1));
  add("lane", "twice as far", operand<LLVM::ShlOp>(apart, 1));
  if (shuffle.getVal().getDefiningOp<LLVM::SelectOp>())
    add("lane", "the other word", [sent](Operation *op) {
      auto word = op->getOperand(sent).getDefiningOp<LLVM::SelectOp>();
      OpBuilder build(op);
      op->setOperand(sent, LLVM::SelectOp::create(build, op->getLoc(), word.getCondition(),
                                                  word.getFalseValue(), word.getTrueValue()));
    });
}

void Enumerator::elementLoad(LLVM::LoadOp load) {
  add("address", "+1 element", furtherOn(0, 2));
  add("address", "unmasked", [](Operation *op) {
    // Not where an element is for certain, but where this one would be.
    auto from = op->getOperand(0).getDefiningOp<LLVM::SelectOp>();
    op->setOperand(0, from.getTrueValue());
  });
  auto chosen = [](Operation *op) { return cast<LLVM::SelectOp>(*op->getUsers().begin()); };
  add("element", "unmasked",
      [=](Operation *op) { chosen(op).getResult().replaceAllUsesWith(op->getResult(0)); });
  add("element", "zero",
      [=](Operation *op) { chosen(op).getResult().replaceAllUsesWith(chosen(op).getFalseValue()); });
}

void Enumerator::operandLoad(LLVM::LoadOp load) {
  const DataLayout layout = DataLayout::closest(load);
  add("address", "+1",
      furtherOn(0, static_cast<int32_t>(layout.getTypeSize(load.getType()).getFixedValue())));
}

void Enumerator::listLoad() {
  add("list", "+1 word", furtherOn(0, 4));
  add("list", "-1 word", furtherOn(0, -4));
}

void Enumerator::elementStore(LLVM::StoreOp store) {
  add("delete", "", [](Operation *op) { op->erase(); });
  add("address", "+1 element", furtherOn(1, 2));
  add("address", "+16 bytes", furtherOn(1, 16));
}

void Enumerator::mask(LLVM::ICmpOp comparison) {
  if (comparison.getPredicate() != LLVM::ICmpPredicate::ult)
    return;
  add("mask", "one further",
      [](Operation *op) { cast<LLVM::ICmpOp>(op).setPredicate(LLVM::ICmpPredicate::ule); });
  add("mask", "never", [](Operation *op) {
    OpBuilder build(op);
    op->getResult(0).replaceAllUsesWith(constant(build, op->getLoc(), build.getI1Type(), 0));
    op->erase();
  });
  add("mask", "always", [](Operation *op) {
    OpBuilder build(op);
    op->getResult(0).replaceAllUsesWith(constant(build, op->getLoc(), build.getI1Type(), 1));
    op->erase();
  });
  add("coordinate", "+1", operand<LLVM::AddOp>(0, 1));
}

void Enumerator::coordinates(OperandRange values) {
  for (unsigned i = 0; i < values.size(); ++i) {
    const unsigned index = values.getBeginOperandIndex() + i;
    add("coordinate", std::to_string(i) + " +1", operand<LLVM::AddOp>(index, 1));
    add("coordinate", std::to_string(i) + " -1", operand<LLVM::AddOp>(index, -1));
  }
}

} // namespace mutation_test
