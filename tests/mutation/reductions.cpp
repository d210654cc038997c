// Kernels of vector reductions: who takes part, what threads read and add up, and how slices meet.
#include "tests/mutation/edits.h"
#include "tests/mutation/enumerator.h"

#include <algorithm>

namespace mutation_test {

static int32_t bytesOf(Operation *op, Type type) {
  return static_cast<int32_t>(DataLayout::closest(op).getTypeSize(type).getFixedValue());
}

bool Enumerator::isForPrefetching(Operation *op) const {
  const auto wait = std::find_if(all_.begin(), all_.end(), [](Operation *one) {
    auto control = dyn_cast<NVVM::GriddepcontrolOp>(one);
    return control && control.getKind() == NVVM::GridDepActionKind::wait;
  });
  const auto is_before = [&](Operation *one) { return std::find(all_.begin(), wait, one) != wait; };
  return wait != all_.end() && op->getNumResults() != 0 && is_before(op) &&
         llvm::all_of(op->getUsers(), is_before);
}

bool Enumerator::reduction(Operation *op) {
  constexpr int32_t far = 1 << 26;
  if (isForPrefetching(op)) {
    // Nothing that is computed depends on it.
  } else if (auto store = dyn_cast<LLVM::StoreOp>(op); store && !isGlobal(store.getAddr())) {
    sharedSums(store);
  } else if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    readNumber(load);
  } else if (auto comparison = dyn_cast<LLVM::ICmpOp>(op)) {
    question(comparison);
  } else if (auto shuffle = dyn_cast<NVVM::ShflOp>(op)) {
    exchange(shuffle);
  } else if (isa<LLVM::FAddOp>(op)) {
    add("sum", "without the other", resultIs(0));
    add("sum", "without its own", resultIs(1));
  } else if (isa<LLVM::FMulOp>(op)) {
    add("sum", "without a factor", resultIs(0));
  } else if (isa<LLVM::FMulAddOp>(op)) {
    add("sum", "without a product", resultIs(2));
  } else if (isa<NVVM::ConvertF32x2ToBF16x2Op>(op)) {
    add("round", "the other", exchanged(0, 1));
  } else if (isa<LLVM::SRemOp>(op)) {
    add("position", "+1", operand<LLVM::AddOp>(0, 1));
  } else if (isa<NVVM::PrefetchOp>(op)) {
    // Where it asks for something, that has to be there; whether it asks is a matter of time alone.
    add("address", "far", furtherOn(0, far));
  } else {
    return false;
  }
  return true;
}

void Enumerator::readNumber(LLVM::LoadOp load) {
  const unsigned space = cast<LLVM::LLVMPointerType>(load.getAddr().getType()).getAddressSpace();
  if (space == 0)
    return;
  add("address", "+1", furtherOn(0, bytesOf(load, load.getType())));
}

void Enumerator::sharedSums(LLVM::StoreOp store) {
  add("delete", "", [](Operation *op) { op->erase(); });
  add("address", "+1", furtherOn(1, bytesOf(store, store.getValue().getType())));
}

void Enumerator::question(LLVM::ICmpOp comparison) {
  for (const int64_t answer : {0, 1})
    add("question", answer ? "always" : "never", [answer](Operation *op) {
      OpBuilder build(op);
      op->getResult(0).replaceAllUsesWith(constant(build, op->getLoc(), build.getI1Type(), answer));
      op->erase();
    });
  // The least of two that are equal is either of them.
  const bool least = llvm::all_of(comparison->getUsers(), [&](Operation *user) {
    auto choice = dyn_cast<LLVM::SelectOp>(user);
    return choice && choice.getTrueValue() == comparison.getLhs() &&
           choice.getFalseValue() == comparison.getRhs();
  });
  if (least)
    return;
  using Predicate = LLVM::ICmpPredicate;
  const Predicate predicate = comparison.getPredicate();
  if (predicate == Predicate::ult || predicate == Predicate::slt)
    add("question", "one further", [](Operation *op) {
      auto comparison = cast<LLVM::ICmpOp>(op);
      comparison.setPredicate(comparison.getPredicate() == Predicate::ult ? Predicate::ule : Predicate::sle);
    });
}

} // namespace mutation_test
