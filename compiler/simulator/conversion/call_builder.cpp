#include "compiler/simulator/conversion/call_builder.h"

using namespace mlir;

namespace compiler {

CallBuilder::CallBuilder(Operation *op, std::int32_t site) : op(op), site(site), build(op) {}

Value CallBuilder::i32(std::int64_t value) {
  return LLVM::ConstantOp::create(build, location(),
                                  build.getI32IntegerAttr(static_cast<std::int32_t>(value)));
}

Value CallBuilder::i64(std::int64_t value) {
  return LLVM::ConstantOp::create(build, location(), build.getI64IntegerAttr(value));
}

Value CallBuilder::asI32(Value value) {
  const Type type = value.getType();
  if (type.isInteger(32))
    return value;
  if (type.isF32())
    return LLVM::BitcastOp::create(build, location(), build.getI32Type(), value);
  if (type.getIntOrFloatBitWidth() < 32)
    return LLVM::ZExtOp::create(build, location(), build.getI32Type(), value);
  return LLVM::TruncOp::create(build, location(), build.getI32Type(), value);
}

Value CallBuilder::asI64(Value value) {
  if (value.getType().isInteger(64))
    return value;
  return LLVM::ZExtOp::create(build, location(), build.getI64Type(), value);
}

Value CallBuilder::pointer(Value value) {
  auto type = cast<LLVM::LLVMPointerType>(value.getType());
  if (type.getAddressSpace() == 0)
    return value;
  return LLVM::AddrSpaceCastOp::create(build, location(), LLVM::LLVMPointerType::get(build.getContext()),
                                       value);
}

Value CallBuilder::isTrue(Value value) {
  return LLVM::ICmpOp::create(build, location(), LLVM::ICmpPredicate::ne, value, i32(0));
}

Value CallBuilder::temporary(Type type) {
  Block &entry = op->getParentOfType<LLVM::LLVMFuncOp>().getBody().front();
  for (LLVM::AllocaOp alloca : entry.getOps<LLVM::AllocaOp>())
    if (alloca.getElemType() == type && alloca->hasAttr("temporary"))
      return alloca;
  OpBuilder::InsertionGuard guard(build);
  build.setInsertionPointToStart(&entry);
  auto alloca =
      LLVM::AllocaOp::create(build, location(), LLVM::LLVMPointerType::get(build.getContext()), type, i32(1));
  alloca->setAttr("temporary", build.getUnitAttr());
  return alloca;
}

void CallBuilder::store(Value value, Value address) {
  LLVM::StoreOp::create(build, location(), value, address);
}

Value CallBuilder::load(Type type, Value address) {
  return LLVM::LoadOp::create(build, location(), type, address);
}

Value CallBuilder::advance(Value address, std::int64_t bytes) {
  return LLVM::GEPOp::create(build, location(), address.getType(), build.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{static_cast<std::int32_t>(bytes)});
}

LLVM::CallOp CallBuilder::emitCall(StringRef function, Type result, ArrayRef<Value> arguments) {
  SmallVector<Value> all{i32(site)};
  llvm::append_range(all, arguments);
  SmallVector<Type> types(ValueRange(all).getTypes());
  auto type = LLVM::LLVMFunctionType::get(result, types);
  ModuleOp module = op->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(function);
  if (!callee) {
    OpBuilder::InsertionGuard guard(build);
    build.setInsertionPointToStart(module.getBody());
    callee = LLVM::LLVMFuncOp::create(build, build.getUnknownLoc(), function, type);
    callee.setPassthroughAttr(build.getStrArrayAttr({"nounwind"}));
  }
  return LLVM::CallOp::create(build, location(), callee, all);
}

void CallBuilder::call(StringRef function, ArrayRef<Value> arguments) {
  emitCall(function, LLVM::LLVMVoidType::get(build.getContext()), arguments);
}

Value CallBuilder::call(StringRef function, Type result, ArrayRef<Value> arguments) {
  return emitCall(function, result, arguments).getResult();
}

Value CallBuilder::callI32(StringRef function, ArrayRef<Value> arguments) {
  return call(function, build.getI32Type(), arguments);
}

void CallBuilder::onlyIf(Value condition) {
  if (!condition)
    return;
  // before:  ...; if (condition) goto then; goto rest      then: <what is built>; goto rest      rest: op,
  // ...
  Block *before = build.getInsertionBlock();
  Block *rest = before->splitBlock(op);
  Block *then = new Block;
  then->insertBefore(rest);
  build.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(build, location(), condition, then, rest);
  build.setInsertionPointToEnd(then);
  auto end = LLVM::BrOp::create(build, location(), rest);
  build.setInsertionPoint(end);
}

void CallBuilder::repeatUntil(llvm::function_ref<Value()> body) {
  Block *before = build.getInsertionBlock();
  Block *rest = before->splitBlock(build.getInsertionPoint());
  Block *loop = new Block;
  loop->insertBefore(rest);
  build.setInsertionPointToEnd(before);
  LLVM::BrOp::create(build, location(), loop);
  build.setInsertionPointToEnd(loop);
  Value done = body();
  LLVM::CondBrOp::create(build, location(), done, rest, loop);
  build.setInsertionPointToStart(rest);
}

void CallBuilder::replace(Value value) {
  op->getResult(0).replaceAllUsesWith(value);
  replacement = value;
}

void CallBuilder::refuse(const Twine &why) {
  op->emitOpError("has no model in this form: ") << why;
  was_refused = true;
}

} // namespace compiler
