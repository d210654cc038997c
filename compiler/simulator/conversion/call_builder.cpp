#include "compiler/simulator/conversion/call_builder.h"

using namespace mlir;

namespace compiler {

CallBuilder::CallBuilder(Operation *op, int32_t site) : op_(op), site_(site), build_(op) {}

Value CallBuilder::i32(int64_t value) {
  return LLVM::ConstantOp::create(build_, location(), build_.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value CallBuilder::i64(int64_t value) {
  return LLVM::ConstantOp::create(build_, location(), build_.getI64IntegerAttr(value));
}

Value CallBuilder::asI32(Value value) {
  const Type type = value.getType();
  if (type.isInteger(32))
    return value;
  if (type.isF32())
    return LLVM::BitcastOp::create(build_, location(), build_.getI32Type(), value);
  if (type.getIntOrFloatBitWidth() < 32)
    return LLVM::ZExtOp::create(build_, location(), build_.getI32Type(), value);
  return LLVM::TruncOp::create(build_, location(), build_.getI32Type(), value);
}

Value CallBuilder::asI64(Value value) {
  if (value.getType().isInteger(64))
    return value;
  return LLVM::ZExtOp::create(build_, location(), build_.getI64Type(), value);
}

Value CallBuilder::pointer(Value value) {
  auto type = cast<LLVM::LLVMPointerType>(value.getType());
  if (type.getAddressSpace() == 0)
    return value;
  return LLVM::AddrSpaceCastOp::create(build_, location(), LLVM::LLVMPointerType::get(build_.getContext()),
                                       value);
}

Value CallBuilder::isTrue(Value value) {
  return LLVM::ICmpOp::create(build_, location(), LLVM::ICmpPredicate::ne, value, i32(0));
}

Value CallBuilder::temporary(Type type) {
  Block &entry = op_->getParentOfType<LLVM::LLVMFuncOp>().getBody().front();
  for (LLVM::AllocaOp alloca : entry.getOps<LLVM::AllocaOp>())
    if (alloca.getElemType() == type && alloca->hasAttr("temporary"))
      return alloca;
  OpBuilder::InsertionGuard guard(build_);
  build_.setInsertionPointToStart(&entry);
  auto alloca = LLVM::AllocaOp::create(build_, location(), LLVM::LLVMPointerType::get(build_.getContext()),
                                       type, i32(1));
  alloca->setAttr("temporary", build_.getUnitAttr());
  return alloca;
}

void CallBuilder::store(Value value, Value address) {
  LLVM::StoreOp::create(build_, location(), value, address);
}

Value CallBuilder::load(Type type, Value address) {
  return LLVM::LoadOp::create(build_, location(), type, address);
}

Value CallBuilder::advance(Value address, int64_t bytes) {
  return LLVM::GEPOp::create(build_, location(), address.getType(), build_.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

LLVM::CallOp CallBuilder::emitCall(StringRef function, Type result, ArrayRef<Value> arguments) {
  SmallVector<Value> all{i32(site_)};
  llvm::append_range(all, arguments);
  SmallVector<Type> types(ValueRange(all).getTypes());
  auto type = LLVM::LLVMFunctionType::get(result, types);
  ModuleOp module = op_->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(function);
  if (!callee) {
    OpBuilder::InsertionGuard guard(build_);
    build_.setInsertionPointToStart(module.getBody());
    callee = LLVM::LLVMFuncOp::create(build_, build_.getUnknownLoc(), function, type);
    callee.setPassthroughAttr(build_.getStrArrayAttr({"nounwind"}));
  }
  return LLVM::CallOp::create(build_, location(), callee, all);
}

void CallBuilder::call(StringRef function, ArrayRef<Value> arguments) {
  emitCall(function, LLVM::LLVMVoidType::get(build_.getContext()), arguments);
}

Value CallBuilder::call(StringRef function, Type result, ArrayRef<Value> arguments) {
  return emitCall(function, result, arguments).getResult();
}

Value CallBuilder::callI32(StringRef function, ArrayRef<Value> arguments) {
  return call(function, build_.getI32Type(), arguments);
}

void CallBuilder::onlyIf(Value condition) {
  if (!condition)
    return;
  // before:  ...; if (condition) goto then; goto rest      then: <what is built>; goto rest      rest: op,
  // ...
  Block *before = build_.getInsertionBlock();
  Block *rest = before->splitBlock(op_);
  Block *then = new Block;
  then->insertBefore(rest);
  build_.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(build_, location(), condition, then, rest);
  build_.setInsertionPointToEnd(then);
  auto end = LLVM::BrOp::create(build_, location(), rest);
  build_.setInsertionPoint(end);
}

void CallBuilder::repeatUntil(llvm::function_ref<Value()> body) {
  Block *before = build_.getInsertionBlock();
  Block *rest = before->splitBlock(build_.getInsertionPoint());
  Block *loop = new Block;
  loop->insertBefore(rest);
  build_.setInsertionPointToEnd(before);
  LLVM::BrOp::create(build_, location(), loop);
  build_.setInsertionPointToEnd(loop);
  Value done = body();
  LLVM::CondBrOp::create(build_, location(), done, rest, loop);
  build_.setInsertionPointToStart(rest);
}

void CallBuilder::replace(Value value) {
  op_->getResult(0).replaceAllUsesWith(value);
  replacement_ = value;
}

void CallBuilder::refuse(const Twine &why) {
  op_->emitOpError("has no model in this form: ") << why;
  was_refused_ = true;
}

} // namespace compiler
