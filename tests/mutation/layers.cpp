// Kernels of two layers: rows that go from one product to the next in registers, stages of several loops and
// of several parts of a tile.
#include "tests/mutation/edits.h"
#include "tests/mutation/enumerator.h"

#include "mlir/IR/Dominance.h"

namespace mutation_test {

bool isFragmentProduct(Operation *op) { return op->getName().getStringRef() == "sm.wgmma_from_registers"; }

/// A pair of numbers that is a word of a fragment, and perhaps of what is kept, too.
static bool isOfFragment(Operation *pair) {
  return llvm::any_of(pair->getUsers(), [](Operation *word) {
    return isa<LLVM::BitcastOp>(word) && llvm::any_of(word->getUsers(), isFragmentProduct);
  });
}

static bool isZero(Value value) {
  auto constant = value.getDefiningOp<LLVM::ConstantOp>();
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  return number && number.getValue().isZero();
}

bool Enumerator::layers(Operation *op) {
  if (auto choice = dyn_cast<LLVM::SelectOp>(op)) {
    choose(choice);
  } else if (isa<NVVM::ConvertF32x2ToBF16x2Op>(op) && isOfFragment(op)) {
    add("round", "the other", exchanged(0, 1));
  } else if (isFragmentProduct(op)) {
    remove(op);
    fragmentProduct(op);
  } else {
    if (auto arrive = dyn_cast<NVVM::MBarrierArriveOp>(op)) {
      otherStage(indexOf(op, arrive.getAddr()));
      early();
    } else if (auto wait = dyn_cast<NVVM::MBarrierTryWaitOp>(op)) {
      otherStage(indexOf(op, wait.getAddr()));
    } else if (auto expect = dyn_cast<NVVM::MBarrierArriveExpectTxOp>(op)) {
      otherStage(indexOf(op, expect.getAddr()));
    } else if (auto load = dyn_cast<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(op)) {
      add("stage", "+1024 bytes", furtherOn(indexOf(op, load.getDstMem()), 1024));
    }
    return false; // and what it has in common with those of all kernels
  }
  return true;
}

/// Of two parts, of a stage and the one before it in the ring, of what is beyond the last column and not.
void Enumerator::choose(LLVM::SelectOp choice) {
  auto comparison = choice.getCondition().getDefiningOp<LLVM::ICmpOp>();
  if (!comparison || comparison.getPredicate() != LLVM::ICmpPredicate::eq)
    return;
  if (isZero(choice.getTrueValue()))
    return add("clip", "never", resultIs(2));
  add("choice", "the other", exchanged(1, 2));
}

void Enumerator::otherStage(unsigned address) { add("stage", "the next", furtherOn(address, 8)); }

/// The wait for products that stands before the arrival, or null: where a producer or a store releases.
static Operation *waitBefore(Operation *arrive) {
  DominanceInfo dominance;
  auto *node = dominance.getDomTree(arrive->getParentRegion()).getNode(arrive->getBlock());
  Operation *op = arrive;
  while (true) {
    for (; op; op = op->getPrevNode()) {
      if (isa<NVVM::WgmmaWaitGroupSyncOp>(op))
        return op;
      if (isa<NVVM::WgmmaMmaAsyncOp, NVVM::MBarrierTryWaitOp>(op) || isFragmentProduct(op))
        return nullptr;
    }
    node = node->getIDom();
    if (!node)
      return nullptr;
    op = &node->getBlock()->back();
  }
}

void Enumerator::early() {
  Operation *arrive = all_[current_];
  Block *meeting = meetingPoint(arrive);
  if (!waitBefore(arrive) || !meeting || DominanceInfo().dominates(meeting, arrive->getBlock()))
    return;
  add("early", "", [](Operation *op) {
    Operation *wait = waitBefore(op);
    Block *meeting = meetingPoint(op);
    wait->moveBefore(meeting, meeting->begin());
  });
}

void Enumerator::fragmentProduct(Operation *product) {
  constexpr unsigned first = 1, words = 4;
  add("operands", "a 0 and 1", exchanged(first, first + 1));
  add("operands", "a 1 and 2", exchanged(first + 1, first + 2));
  Operation *before = product->getPrevNode();
  while (before && !isFragmentProduct(before))
    before = before->getPrevNode();
  if (before)
    add("operands", "a of the step before", [=](Operation *op) {
      Operation *before = op->getPrevNode();
      while (!isFragmentProduct(before))
        before = before->getPrevNode();
      for (unsigned word = first; word < first + words; ++word)
        op->setOperand(word, before->getOperand(word));
    });
  descriptor("b", first + words);
}

} // namespace mutation_test
