// Writes what stands for one op of a kernel: a call of the model, and the few ops around it.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace compiler {

/// Builds in front of the op that it was made for. Values of the types i32, i64 and `!llvm.ptr` are what
/// calls take and give; everything else is brought into one of them first.
class CallBuilder {
public:
  using Value = mlir::Value;

  CallBuilder(mlir::Operation *op, int32_t site);

  mlir::OpBuilder &builder() { return build_; }
  mlir::Location location() const { return op_->getLoc(); }

  Value i32(int64_t value);
  Value i64(int64_t value);
  /// An integer of any width, or the bits of an f32, as i32. Narrower integers are unsigned.
  Value asI32(Value value);
  /// An integer, unsigned, as i64.
  Value asI64(Value value);
  /// A pointer of any address space as one of the generic space: the addresses are the same.
  Value pointer(Value value);
  /// Whether an i32 is not zero.
  Value isTrue(Value value);

  /// Room for one value of `type` on the thread's stack, shared by all calls of the function; what is in it
  /// lasts until the next call.
  Value temporary(mlir::Type type);
  void store(Value value, Value address);
  Value load(mlir::Type type, Value address);
  /// The address `bytes` further on.
  Value advance(Value address, int64_t bytes);

  /// Calls a function of the model with the site and `arguments`.
  void call(llvm::StringRef function, llvm::ArrayRef<Value> arguments = {});
  Value call(llvm::StringRef function, mlir::Type result, llvm::ArrayRef<Value> arguments = {});
  Value callI32(llvm::StringRef function, llvm::ArrayRef<Value> arguments = {});

  /// Everything built from here on, up to `op` itself, runs only where the i1 holds. Null: everywhere.
  void onlyIf(Value condition);
  /// Builds `body` in a loop that ends when it gives a true i1.
  void repeatUntil(llvm::function_ref<Value()> body);

  /// What the uses of the op's only result shall be.
  void replace(Value value);
  bool replaced() const { return replacement_ != nullptr; }

  /// The op is one that the model knows, but not in this form: an error that names the op and says why.
  void refuse(const llvm::Twine &why);
  bool refused() const { return was_refused_; }

private:
  mlir::LLVM::CallOp emitCall(llvm::StringRef function, mlir::Type result, llvm::ArrayRef<Value> arguments);

  mlir::Operation *op_;
  int32_t site_;
  mlir::OpBuilder build_;
  Value replacement_;
  bool was_refused_ = false;
};

} // namespace compiler
