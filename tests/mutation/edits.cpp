#include "tests/mutation/edits.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mutation_test {

bool isPlain(Operation *op) {
  return op->getName().getStringRef().starts_with("nvvm.read.ptx.sreg.") ||
         isa<NVVM::ConvertF32x2ToBF16x2Op, NVVM::ShflOp>(op);
}

Value constant(OpBuilder &build, Location location, Type type, int64_t value) {
  return LLVM::ConstantOp::create(build, location, type, build.getIntegerAttr(type, value));
}

std::function<void(Operation *)> furtherOn(unsigned index, int32_t bytes) {
  return [=](Operation *op) {
    OpBuilder build(op);
    Value address = op->getOperand(index);
    op->setOperand(index, LLVM::GEPOp::create(build, op->getLoc(), address.getType(), build.getI8Type(),
                                              address, ArrayRef<LLVM::GEPArg>{bytes}));
  };
}

std::function<void(Operation *)> exchanged(unsigned a, unsigned b) {
  return [=](Operation *op) {
    Value first = op->getOperand(a);
    op->setOperand(a, op->getOperand(b));
    op->setOperand(b, first);
  };
}

std::function<void(Operation *)> resultIs(unsigned operand) {
  return [operand](Operation *op) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(operand));
    op->erase();
  };
}

unsigned indexOf(Operation *op, Value value) {
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == value)
      return operand.getOperandNumber();
  llvm_unreachable("not an operand");
}

} // namespace mutation_test
