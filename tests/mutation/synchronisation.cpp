// Instructions that are missing, late or in another order; barriers and waits.
#include "tests/mutation/edits.h"
#include "tests/mutation/enumerator.h"

#include "mlir/IR/Dominance.h"

namespace mutation_test {

void Enumerator::phase(LLVM::XOrOp flip) {
  if (!isa<BlockArgument>(flip.getLhs()))
    return;
  if (auto one = flip.getRhs().getDefiningOp<LLVM::ConstantOp>()) {
    if (auto value = dyn_cast<IntegerAttr>(one.getValue()); value && value.getInt() == 1)
      add("phase", "never", [](Operation *op) { op->getResult(0).replaceAllUsesWith(op->getOperand(0)); });
    return;
  }
  if (!flip.getRhs().getDefiningOp<LLVM::ZExtOp>())
    return;
  add("phase", "never", [](Operation *op) { op->getResult(0).replaceAllUsesWith(op->getOperand(0)); });
  add("phase", "always", [](Operation *op) {
    OpBuilder build(op);
    op->setOperand(1, constant(build, op->getLoc(), op->getOperand(1).getType(), 1));
  });
}

void Enumerator::remove(Operation *op) {
  if (op->getNumResults() == 0)
    return add("delete", "", [](Operation *op) { op->erase(); });
  if (op->use_empty()) // the state of an arrival
    return add("delete", "", [](Operation *op) { op->erase(); });
  if (isa<NVVM::MBarrierTryWaitOp, NVVM::ElectSyncOp>(op)) // what it answers is always yes
    return add("delete", "", [](Operation *op) {
      OpBuilder build(op);
      op->getResult(0).replaceAllUsesWith(constant(build, op->getLoc(), build.getI1Type(), 1));
      op->erase();
    });
  if (isa<NVVM::MapaOp>(op)) // the address in this block
    return add("delete", "", [](Operation *op) {
      OpBuilder build(op);
      op->getResult(0).replaceAllUsesWith(
          LLVM::AddrSpaceCastOp::create(build, op->getLoc(), op->getResult(0).getType(), op->getOperand(0)));
      op->erase();
    });
  if (isa<NVVM::LdMatrixOp>(op)) // what it reads is zeros
    return add("delete", "", [](Operation *op) {
      OpBuilder build(op);
      op->getResult(0).replaceAllUsesWith(
          LLVM::ZeroOp::create(build, op->getLoc(), op->getResult(0).getType()));
      op->erase();
    });
  if (isa<NVVM::MmaOp>(op)) // the sums stay what they were
    return add("delete", "", [](Operation *op) {
      OpBuilder build(op);
      Value sums = LLVM::PoisonOp::create(build, op->getLoc(), op->getResult(0).getType());
      for (auto [i, sum] : llvm::enumerate(cast<NVVM::MmaOp>(op).getOperandC()))
        sums = LLVM::InsertValueOp::create(build, op->getLoc(), sums, sum, static_cast<int64_t>(i));
      op->getResult(0).replaceAllUsesWith(sums);
      op->erase();
    });
  // A settle or a product: what goes in comes out.
  Value through =
      isa<NVVM::WgmmaMmaAsyncOp>(op) ? cast<NVVM::WgmmaMmaAsyncOp>(op).getInouts() : op->getOperand(0);
  const unsigned index = indexOf(op, through);
  add("delete", "", [index](Operation *op) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(index));
    op->erase();
  });
}

Operation *Enumerator::nextInstruction(Operation *op) {
  do
    op = op->getNextNode();
  while (op && (!isInstruction(op) || isPlain(op)));
  return op;
}

void Enumerator::swap(Operation *op) {
  if (op->getNumResults() != 0)
    return;
  if (Operation *next = nextInstruction(op); next && next->getName() != op->getName())
    add("swap", "with " + next->getName().getStringRef().str(),
        [](Operation *op) { op->moveAfter(nextInstruction(op)); });
}

void Enumerator::late(Operation *op) {
  if (op->getNumResults() != 0 || nextInstruction(op) != nullptr)
    return;
  Block *meeting = meetingPoint(op);
  const bool reaches = meeting != nullptr && llvm::all_of(op->getOperands(), [&](Value value) {
                         return DominanceInfo().properlyDominates(value, &meeting->front());
                       });
  if (reaches)
    add("late", "", [](Operation *op) {
      Block *meeting = meetingPoint(op);
      op->moveBefore(meeting, meeting->begin());
    });
}

Block *Enumerator::meetingPoint(Operation *op) {
  PostDominanceInfo dominance;
  auto *node = dominance.getDomTree(op->getParentRegion()).getNode(op->getBlock());
  return node != nullptr && node->getIDom() != nullptr ? node->getIDom()->getBlock() : nullptr;
}

void Enumerator::namedBarrier(NVVM::BarrierOp barrier) {
  if (barrier.getBarrierId())
    add("barrier", "+1", operand<LLVM::AddOp>(indexOf(barrier, barrier.getBarrierId()), 1));
  if (barrier.getNumberOfThreads()) {
    const unsigned index = indexOf(barrier, barrier.getNumberOfThreads());
    add("count", "+32", operand<LLVM::AddOp>(index, 32));
    add("count", "-32", operand<LLVM::AddOp>(index, -32));
  }
}

void Enumerator::storeWait() {
  add("pending", "+1", [](Operation *op) {
    auto wait = cast<NVVM::CpAsyncBulkWaitGroupOp>(op);
    wait.setGroup(wait.getGroup() + 1);
  });
  // The other way round would only wait longer.
  if (!cast<NVVM::CpAsyncBulkWaitGroupOp>(all_[current_]).getRead())
    add("read", "", [](Operation *op) {
      cast<NVVM::CpAsyncBulkWaitGroupOp>(op).setReadAttr(UnitAttr::get(op->getContext()));
    });
}

} // namespace mutation_test
