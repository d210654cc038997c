#include "compiler/targets/nvidia/instructions.h"

#include "dialects/sm/sm.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {

LLVM::LLVMPointerType pointerTo(MLIRContext *context, Space space) {
  return LLVM::LLVMPointerType::get(context, static_cast<unsigned>(space));
}

Value Instructions::constant(std::int64_t value) {
  return LLVM::ConstantOp::create(builder, location, builder.getI32Type(),
                                  builder.getI32IntegerAttr(static_cast<std::int32_t>(value)));
}

Value Instructions::add(Value a, Value b) { return LLVM::AddOp::create(builder, location, a, b); }

Value Instructions::add(Value a, std::int64_t b) { return b ? add(a, constant(b)) : a; }

Value Instructions::subtract(Value a, std::int64_t b) {
  return b ? LLVM::SubOp::create(builder, location, a, constant(b)).getResult() : a;
}

Value Instructions::multiply(Value a, std::int64_t b) {
  return b == 1 ? a : LLVM::MulOp::create(builder, location, a, constant(b)).getResult();
}

Value Instructions::bitAnd(Value a, std::int64_t b) {
  return LLVM::AndOp::create(builder, location, a, constant(b));
}

Value Instructions::bitOr(Value a, std::int64_t b) {
  return b ? LLVM::OrOp::create(builder, location, a, constant(b)).getResult() : a;
}

Value Instructions::bitXor(Value a, Value b) { return LLVM::XOrOp::create(builder, location, a, b); }

Value Instructions::shiftLeft(Value a, std::int64_t bits) {
  return LLVM::ShlOp::create(builder, location, a, constant(bits));
}

Value Instructions::shiftRight(Value a, Value bits) {
  return LLVM::LShrOp::create(builder, location, a, bits);
}

Value Instructions::shiftRight(Value a, std::int64_t bits) {
  return LLVM::LShrOp::create(builder, location, a, constant(bits));
}

Value Instructions::equal(Value a, std::int64_t b) {
  return LLVM::ICmpOp::create(builder, location, LLVM::ICmpPredicate::eq, a, constant(b));
}

Value Instructions::below(Value a, std::int64_t b) {
  return LLVM::ICmpOp::create(builder, location, LLVM::ICmpPredicate::ult, a, constant(b));
}

Value Instructions::below(Value a, Value b) {
  return LLVM::ICmpOp::create(builder, location, LLVM::ICmpPredicate::ult, a, b);
}

Value Instructions::divide(Value a, std::int64_t b) {
  if (llvm::isPowerOf2_64(b))
    return b == 1 ? a : shiftRight(a, llvm::Log2_64(b));
  return LLVM::UDivOp::create(builder, location, a, constant(b));
}

Value Instructions::remainder(Value a, std::int64_t b) {
  if (llvm::isPowerOf2_64(b))
    return bitAnd(a, b - 1);
  return LLVM::URemOp::create(builder, location, a, constant(b));
}

Value Instructions::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return LLVM::AndOp::create(builder, location, a, b);
}

Value Instructions::choose(Value condition, Value yes, Value no) {
  return LLVM::SelectOp::create(builder, location, condition, yes, no);
}

Value Instructions::wide(Value a) { return LLVM::ZExtOp::create(builder, location, builder.getI64Type(), a); }

Value Instructions::addWide(Value a, Value b) { return LLVM::AddOp::create(builder, location, a, b); }

Value Instructions::multiplyWide(Value a, Value b) { return LLVM::MulOp::create(builder, location, a, b); }

Value Instructions::multiplyWide(Value a, std::int64_t b) {
  if (b == 1)
    return a;
  return multiplyWide(
      a, LLVM::ConstantOp::create(builder, location, builder.getI64Type(), builder.getI64IntegerAttr(b)));
}

Value Instructions::advance(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(builder, location, pointer.getType(), builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value Instructions::advance(Value pointer, std::int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return LLVM::GEPOp::create(builder, location, pointer.getType(), builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{static_cast<std::int32_t>(bytes)});
}

Value Instructions::address(Value pointer) {
  return LLVM::PtrToIntOp::create(builder, location, builder.getI32Type(), pointer);
}

Value Instructions::thread() { return NVVM::ThreadIdXOp::create(builder, location, builder.getI32Type()); }

Value Instructions::warpgroup() { return shiftRight(thread(), llvm::Log2_64(sm::warpgroup_threads)); }

Value Instructions::threadInWarpgroup() { return bitAnd(thread(), sm::warpgroup_threads - 1); }

Value Instructions::lane() { return bitAnd(thread(), sm::warp_threads - 1); }

Value Instructions::warp() { return shiftRight(thread(), llvm::Log2_64(sm::warp_threads)); }

} // namespace compiler
