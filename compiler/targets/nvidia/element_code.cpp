#include "compiler/targets/nvidia/element_code.h"

#include "compiler/targets/nvidia/approximate_math.h"
#include "compiler/targets/nvidia/instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace compiler {

/// A bf16 is the upper half of an f32.
constexpr int64_t half_bits = 16;

Value widenedNumber(OpBuilder &builder, Location location, Value bits) {
  Instructions write(builder, location);
  Value word = LLVM::ZExtOp::create(builder, location, builder.getI32Type(), bits);
  return LLVM::BitcastOp::create(builder, location, builder.getF32Type(), write.shiftLeft(word, half_bits));
}

Value loadElement(OpBuilder &builder, Location location, Type type, Value address) {
  const unsigned bytes = type.getIntOrFloatBitWidth() / 8;
  if (type.isF32())
    return LLVM::LoadOp::create(builder, location, type, address, bytes);
  return widenedNumber(builder, location,
                       LLVM::LoadOp::create(builder, location, builder.getI16Type(), address, bytes));
}

Value roundedBits(OpBuilder &builder, Location location, Value number) {
  // The conversion is of pairs; the second one goes to the lower half.
  auto nearest = NVVM::FPRoundingModeAttr::get(builder.getContext(), NVVM::FPRoundingMode::RN);
  Value nothing =
      LLVM::ConstantOp::create(builder, location, builder.getF32Type(), builder.getF32FloatAttr(0));
  Value pair = NVVM::ConvertF32x2ToBF16x2Op::create(
      builder, location, VectorType::get(2, builder.getBF16Type()), nothing, number, Value(), nearest);
  Value word = LLVM::BitcastOp::create(builder, location, builder.getI32Type(), pair);
  return LLVM::TruncOp::create(builder, location, builder.getI16Type(), word);
}

/// Elements of bf16 are f32 here, constants as well.
static void writeConstant(OpBuilder &builder, arith::ConstantOp constant, IRMapping &values) {
  if (!constant.getType().isBF16()) {
    builder.clone(*constant, values);
    return;
  }
  const double number = cast<FloatAttr>(constant.getValue()).getValueAsDouble();
  Value wide = arith::ConstantOp::create(builder, constant.getLoc(),
                                         builder.getF32FloatAttr(static_cast<float>(number)));
  values.map(constant.getResult(), wide);
}

void writeElementOp(OpBuilder &builder, Operation &op, IRMapping &values) {
  const Location location = op.getLoc();
  if (auto wider = dyn_cast<arith::ExtFOp>(op)) {
    values.map(wider.getOut(), values.lookup(wider.getIn()));
  } else if (auto rounded = dyn_cast<arith::TruncFOp>(op)) {
    Value bits = roundedBits(builder, location, values.lookup(rounded.getIn()));
    values.map(rounded.getOut(), widenedNumber(builder, location, bits));
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    writeConstant(builder, constant, values);
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    values.map(select.getResult(),
               arith::SelectOp::create(builder, location, values.lookup(select.getCondition()),
                                       values.lookup(select.getTrueValue()),
                                       values.lookup(select.getFalseValue()))
                   .getResult());
  } else if (isApproximated(op)) {
    values.map(op.getResult(0), writeApproximation(builder, op, values));
  } else {
    builder.clone(op, values);
  }
}

Value writeElement(OpBuilder &builder, Location location, Block &body, ValueRange elements) {
  IRMapping values;
  values.map(body.getArguments(), elements);
  // Constants from outside are written once more: the conversion around replaces theirs.
  for (Operation &op : body)
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != &body && !values.contains(operand))
        writeConstant(builder, operand.getDefiningOp<arith::ConstantOp>(), values);
  for (Operation &op : body.without_terminator())
    writeElementOp(builder, op, values);
  return values.lookup(body.getTerminator()->getOperand(0));
}

} // namespace compiler
