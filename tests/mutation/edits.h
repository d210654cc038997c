// Small changes to an operation, from which mutations are made.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

#include <cstdint>
#include <functional>

namespace mutation_test {

using namespace mlir;

inline bool isInstruction(Operation *op) {
  return op->getName().getDialectNamespace() == "nvvm" || op->getName().getStringRef() == "sm.settle";
}

/// Ops that compute something and have no other effect: their absence is not a fault of synchronisation.
bool isPlain(Operation *op);

Value constant(OpBuilder &build, Location location, Type type, int64_t value);

/// Operand number `index` becomes f(operand, constant).
template <typename Arithmetic> std::function<void(Operation *)> operand(unsigned index, int64_t value) {
  return [=](Operation *op) {
    OpBuilder build(op);
    Value old = op->getOperand(index);
    op->setOperand(index, Arithmetic::create(build, op->getLoc(), old,
                                             constant(build, op->getLoc(), old.getType(), value)));
  };
}

/// The address that is operand number `index` lies that many bytes further on.
std::function<void(Operation *)> furtherOn(unsigned index, int32_t bytes);

/// Operands `a` and `b` change places.
std::function<void(Operation *)> exchanged(unsigned a, unsigned b);

/// What operand number `operand` is takes the place of the result.
std::function<void(Operation *)> resultIs(unsigned operand);

/// Where the operation has this operand.
unsigned indexOf(Operation *op, Value value);

} // namespace mutation_test
