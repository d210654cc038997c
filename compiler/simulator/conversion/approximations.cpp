#include "compiler/simulator/conversion/approximations.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace compiler {

std::optional<StringRef> modelOfApproximation(Operation *op) {
  if (auto intrinsic = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return llvm::StringSwitch<std::optional<StringRef>>(intrinsic.getIntrin())
        .Case("llvm.nvvm.ex2.approx.ftz.f32", "sm_ex2_approx")
        .Case("llvm.nvvm.div.full", "sm_div_full")
        .Case("llvm.nvvm.div.approx.ftz.f", "sm_div_approx")
        .Default(std::nullopt);
  auto tanh = dyn_cast<LLVM::TanhOp>(op);
  if (tanh && tanh.getType().isF32() && bitEnumContainsAny(tanh.getFastmathFlags(), LLVM::FastmathFlags::afn))
    return "sm_tanh_approx";
  return std::nullopt;
}

void replaceApproximation(Operation *op, StringRef model, CallBuilder &call) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(call.asI32(operand));
  OpBuilder &build = call.builder();
  call.replace(
      LLVM::BitcastOp::create(build, op->getLoc(), build.getF32Type(), call.callI32(model, operands)));
}

} // namespace compiler
