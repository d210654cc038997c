#include "compiler/targets/elementwise/element_code.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace compiler {

static Value spread(OpBuilder &builder, Location location, Value value, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder, location, VectorType::get({lanes}, value.getType()), value);
}

FailureOr<SmallVector<Value>> applyElementCode(OpBuilder &builder, tile::ElementwiseOp kernel,
                                               ValueRange inputs, int64_t lanes) {
  Block &body = kernel.getBody().front();
  IRMapping numbers;
  numbers.map(body.getArguments(), inputs);
  SmallVector<Value> results;
  for (Operation &op : body) {
    if (isa<tile::PutOp, tile::SumOp, tile::MaximumOp>(op)) {
      results.push_back(spread(builder, op.getLoc(), numbers.lookup(op.getOperand(0)), lanes));
      continue;
    }
    if (lanes == 1 || isa<arith::ConstantOp>(op)) {
      builder.clone(op, numbers);
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(numbers.lookup(operand));
    // What is the same for all elements is computed once.
    const bool vectors = llvm::any_of(operands, [](Value value) { return isa<VectorType>(value.getType()); });
    if (vectors && !op.hasTrait<OpTrait::Vectorizable>())
      return op.emitOpError("has no form on vectors, so the CPU target cannot apply it");
    if (vectors)
      for (Value &operand : operands)
        operand = spread(builder, op.getLoc(), operand, lanes);
    OperationState state(op.getLoc(), op.getName(), operands, {}, op.getAttrs());
    for (Type type : op.getResultTypes())
      state.addTypes(vectors ? Type(VectorType::get({lanes}, type)) : type);
    numbers.map(op.getResults(), builder.create(state)->getResults());
  }
  return results;
}

} // namespace compiler
