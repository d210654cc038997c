#include "compiler/targets/nvidia/approximate_math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace compiler {

bool isApproximated(Operation &op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  return flags && isa<math::Exp2Op, math::TanhOp, arith::DivFOp>(op) &&
         bitEnumContainsAny(flags.getFastMathFlagsAttr().getValue(), arith::FastMathFlags::afn);
}

/// Whether a number is 1 plus an exponential, or plus a multiple of a magnitude, so that its reciprocal
/// neither overflows nor loses digits.
static bool isOnePlusPositive(Value value) {
  const auto is_one = [](Value term) { return matchPattern(term, m_OneFloat()); };
  if (auto scaled = value.getDefiningOp<math::FmaOp>()) {
    FloatAttr factor;
    return is_one(scaled.getC()) && scaled.getA().getDefiningOp<math::AbsFOp>() &&
           matchPattern(scaled.getB(), m_Constant(&factor)) && factor.getValue().isFinite() &&
           !factor.getValue().isNegative();
  }
  auto sum = value.getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  const auto is_exponential = [](Value term) { return term.getDefiningOp<math::Exp2Op>() != nullptr; };
  return (is_one(sum.getLhs()) && is_exponential(sum.getRhs())) ||
         (is_one(sum.getRhs()) && is_exponential(sum.getLhs()));
}

/// Of an operation that is approximated, but for tanh.
static StringRef intrinsicOf(Operation &op) {
  if (isa<math::Exp2Op>(op))
    return "llvm.nvvm.ex2.approx.ftz.f32";
  return isOnePlusPositive(op.getOperand(1)) ? "llvm.nvvm.div.approx.ftz.f" : "llvm.nvvm.div.full";
}

Value writeApproximation(OpBuilder &builder, Operation &op, IRMapping &values) {
  const Location location = op.getLoc();
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(values.lookup(operand));
  // The backend has an instruction for tanh, but no intrinsic.
  if (isa<math::TanhOp>(op))
    return LLVM::TanhOp::create(builder, location, operands.front().getType(), operands.front(),
                                LLVM::FastmathFlags::afn);
  return LLVM::CallIntrinsicOp::create(builder, location, builder.getF32Type(),
                                       builder.getStringAttr(intrinsicOf(op)), operands)
      .getResult(0);
}

} // namespace compiler
