#include "compiler/simulator/conversion/hazards.h"

#include "compiler/simulator/model/calls.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace compiler {
namespace {

/// An operand that must be in a range, and what it is when it is not.
struct Restricted {
  Value value;
  sm_undefined_value what;
  int64_t limit = 0; ///< the value is below, unsigned; for divisors 0: any value but zero
};

std::optional<Restricted> restricted(Operation *op) {
  auto width = [](Value value) {
    return static_cast<int64_t>(getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth());
  };
  auto elements = [](Value vector) { return cast<VectorType>(vector.getType()).getNumElements(); };
  return llvm::TypeSwitch<Operation *, std::optional<Restricted>>(op)
      .Case<LLVM::UDivOp, LLVM::URemOp, LLVM::SDivOp, LLVM::SRemOp>(
          [](auto division) { return Restricted{division.getRhs(), sm_undefined_division}; })
      .Case<LLVM::ShlOp, LLVM::LShrOp, LLVM::AShrOp>(
          [&](auto shift) { return Restricted{shift.getRhs(), sm_undefined_shift, width(shift.getRhs())}; })
      .Case([&](LLVM::InsertElementOp insertion) {
        return Restricted{insertion.getPosition(), sm_undefined_element, elements(insertion.getVector())};
      })
      .Case([&](LLVM::ExtractElementOp extraction) {
        return Restricted{extraction.getPosition(), sm_undefined_element, elements(extraction.getVector())};
      })
      .Default([](Operation *) { return std::nullopt; });
}

bool isSigned(Operation *op) { return isa<LLVM::SDivOp, LLVM::SRemOp>(op); }

bool allows(const Restricted &operand, Operation *op, const APInt &value) {
  if (operand.limit == 0) // of -1 the quotient may overflow
    return !value.isZero() && !(isSigned(op) && value.isAllOnes());
  return value.ult(static_cast<uint64_t>(operand.limit));
}

/// Whether the operand is a constant that is in range: no check is needed.
bool isConstantInRange(const Restricted &operand, Operation *op) {
  Attribute constant;
  if (!matchPattern(operand.value, m_Constant(&constant)))
    return false;
  if (auto number = dyn_cast<IntegerAttr>(constant)) {
    const unsigned width = getElementTypeOrSelf(operand.value.getType()).getIntOrFloatBitWidth();
    return allows(operand, op, number.getValue().zextOrTrunc(width));
  }
  auto numbers = dyn_cast<DenseIntElementsAttr>(constant);
  return numbers && llvm::all_of(numbers.getValues<APInt>(),
                                 [&](const APInt &value) { return allows(operand, op, value); });
}

bool goesBack(Operation *op) {
  return llvm::any_of(op->getSuccessors(), [&](Block *to) {
    Block *from = op->getBlock();
    return to == from || to->computeBlockNumber() < from->computeBlockNumber();
  });
}

/// Whether the operand is out of range, as i1.
Value isOutOfRange(const Restricted &operand, Operation *op, OpBuilder &build) {
  const Location location = op->getLoc();
  const Type type = operand.value.getType();
  auto constant = [&](int64_t value) {
    return LLVM::ConstantOp::create(build, location, type, build.getIntegerAttr(type, value));
  };
  auto compare = [&](LLVM::ICmpPredicate predicate, Value value, int64_t with) -> Value {
    return LLVM::ICmpOp::create(build, location, predicate, value, constant(with));
  };
  if (operand.limit > 0)
    return compare(LLVM::ICmpPredicate::uge, operand.value, operand.limit);
  Value zero = compare(LLVM::ICmpPredicate::eq, operand.value, 0);
  if (!isSigned(op))
    return zero;
  const auto least = APInt::getSignedMinValue(type.getIntOrFloatBitWidth()).getSExtValue();
  Value overflows = LLVM::AndOp::create(build, location, compare(LLVM::ICmpPredicate::eq, operand.value, -1),
                                        compare(LLVM::ICmpPredicate::eq, op->getOperand(0), least));
  return LLVM::OrOp::create(build, location, zero, overflows);
}

} // namespace

bool isHazard(Operation *op) {
  if (isa<LLVM::UnreachableOp>(op) || goesBack(op))
    return true;
  const std::optional<Restricted> operand = restricted(op);
  return operand && !isConstantInRange(*operand, op);
}

void guardHazard(Operation *op, CallBuilder &call) {
  if (isa<LLVM::UnreachableOp>(op))
    return call.call("sm_undefined", {call.i32(sm_undefined_unreachable)});
  const std::optional<Restricted> operand = restricted(op);
  if (!operand)
    return call.call("sm_loop");
  if (isa<VectorType>(operand->value.getType()))
    return call.refuse("vectors are divided and shifted by constants only");
  call.onlyIf(isOutOfRange(*operand, op, call.builder()));
  call.call("sm_undefined", {call.i32(operand->what)});
}

} // namespace compiler
