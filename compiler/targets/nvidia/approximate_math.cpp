#include "compiler/targets/nvidia/approximate_math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace compiler {

bool isApproximated(Operation &op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  return flags && isa<math::Exp2Op, math::TanhOp, arith::DivFOp>(op) &&
         bitEnumContainsAny(flags.getFastMathFlagsAttr().getValue(), arith::FastMathFlags::afn);
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
  const StringRef intrinsic = isa<math::Exp2Op>(op) ? "llvm.nvvm.ex2.approx.ftz.f32" : "llvm.nvvm.div.full";
  return LLVM::CallIntrinsicOp::create(builder, location, builder.getF32Type(),
                                       builder.getStringAttr(intrinsic), operands)
      .getResult(0);
}

} // namespace compiler
