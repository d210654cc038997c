#include "compiler/targets/nvidia/instructions.h"

#include "dialects/sm/sm.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {

LLVM::LLVMPointerType pointerTo(MLIRContext *context, Space space) {
  return LLVM::LLVMPointerType::get(context, static_cast<unsigned>(space));
}

Value Instructions::constant(int64_t value) {
  return LLVM::ConstantOp::create(builder_, location_, builder_.getI32Type(),
                                  builder_.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value Instructions::add(Value a, Value b) { return LLVM::AddOp::create(builder_, location_, a, b); }

Value Instructions::add(Value a, int64_t b) { return b ? add(a, constant(b)) : a; }

Value Instructions::subtract(Value a, int64_t b) {
  return b ? LLVM::SubOp::create(builder_, location_, a, constant(b)).getResult() : a;
}

Value Instructions::multiply(Value a, int64_t b) {
  return b == 1 ? a : LLVM::MulOp::create(builder_, location_, a, constant(b)).getResult();
}

Value Instructions::bitAnd(Value a, int64_t b) {
  return LLVM::AndOp::create(builder_, location_, a, constant(b));
}

Value Instructions::bitOr(Value a, int64_t b) {
  return b ? LLVM::OrOp::create(builder_, location_, a, constant(b)).getResult() : a;
}

Value Instructions::bitXor(Value a, Value b) { return LLVM::XOrOp::create(builder_, location_, a, b); }

Value Instructions::shiftLeft(Value a, int64_t bits) {
  return LLVM::ShlOp::create(builder_, location_, a, constant(bits));
}

Value Instructions::shiftRight(Value a, Value bits) {
  return LLVM::LShrOp::create(builder_, location_, a, bits);
}

Value Instructions::shiftRight(Value a, int64_t bits) {
  return LLVM::LShrOp::create(builder_, location_, a, constant(bits));
}

Value Instructions::equal(Value a, int64_t b) {
  return LLVM::ICmpOp::create(builder_, location_, LLVM::ICmpPredicate::eq, a, constant(b));
}

Value Instructions::below(Value a, int64_t b) {
  return LLVM::ICmpOp::create(builder_, location_, LLVM::ICmpPredicate::ult, a, constant(b));
}

Value Instructions::below(Value a, Value b) {
  return LLVM::ICmpOp::create(builder_, location_, LLVM::ICmpPredicate::ult, a, b);
}

Value Instructions::divide(Value a, int64_t b) {
  if (llvm::isPowerOf2_64(b))
    return b == 1 ? a : shiftRight(a, llvm::Log2_64(b));
  return LLVM::UDivOp::create(builder_, location_, a, constant(b));
}

Value Instructions::remainder(Value a, int64_t b) {
  if (llvm::isPowerOf2_64(b))
    return bitAnd(a, b - 1);
  return LLVM::URemOp::create(builder_, location_, a, constant(b));
}

Value Instructions::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return LLVM::AndOp::create(builder_, location_, a, b);
}

Value Instructions::choose(Value condition, Value yes, Value no) {
  return LLVM::SelectOp::create(builder_, location_, condition, yes, no);
}

Value Instructions::wide(Value a) {
  return LLVM::ZExtOp::create(builder_, location_, builder_.getI64Type(), a);
}

Value Instructions::addWide(Value a, Value b) { return LLVM::AddOp::create(builder_, location_, a, b); }

Value Instructions::multiplyWide(Value a, Value b) { return LLVM::MulOp::create(builder_, location_, a, b); }

Value Instructions::multiplyWide(Value a, int64_t b) {
  if (b == 1)
    return a;
  return multiplyWide(
      a, LLVM::ConstantOp::create(builder_, location_, builder_.getI64Type(), builder_.getI64IntegerAttr(b)));
}

Value Instructions::advance(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(builder_, location_, pointer.getType(), builder_.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value Instructions::advance(Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return LLVM::GEPOp::create(builder_, location_, pointer.getType(), builder_.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

Value Instructions::address(Value pointer) {
  return LLVM::PtrToIntOp::create(builder_, location_, builder_.getI32Type(), pointer);
}

Value Instructions::thread() { return NVVM::ThreadIdXOp::create(builder_, location_, builder_.getI32Type()); }

Value Instructions::warpgroup() { return shiftRight(thread(), llvm::Log2_64(sm::warpgroup_threads)); }

Value Instructions::threadInWarpgroup() { return bitAnd(thread(), sm::warpgroup_threads - 1); }

Value Instructions::lane() { return bitAnd(thread(), sm::warp_threads - 1); }

Value Instructions::warp() { return shiftRight(thread(), llvm::Log2_64(sm::warp_threads)); }

} // namespace compiler
