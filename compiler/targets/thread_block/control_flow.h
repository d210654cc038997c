// Branches and loops at a builder's place, whose bodies callers write.
#pragma once

#include "compiler/lower/integer_arithmetic.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace compiler {

class ControlFlow {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  ControlFlow(mlir::OpBuilder &builder, mlir::Location location) : builder_(builder), location_(location) {}

  /// What `yes` writes where the condition holds, and what `no` writes elsewhere, of the same types.
  Values choose(Value condition, mlir::TypeRange types, llvm::function_ref<Values()> yes,
                llvm::function_ref<Values()> no) const;
  /// What `body` writes where the condition holds.
  void when(Value condition, llvm::function_ref<void()> body) const;
  /// From `first` up to `end` by `step`, with carried values.
  Values loop(Value first, Value end, Value step, mlir::ValueRange carried,
              llvm::function_ref<Values(Value index, mlir::ValueRange carried)> body) const;
  /// The same without any.
  void loop(Value first, Value end, Value step, llvm::function_ref<void(Value index)> body) const;
  /// With values carried from step to step, as long as `goes_on` is true of them.
  Values loopWhile(mlir::ValueRange first, llvm::function_ref<Value(mlir::ValueRange carried)> goes_on,
                   llvm::function_ref<Values(mlir::ValueRange carried)> body) const;

private:
  mlir::OpBuilder &builder_;
  mlir::Location location_;
};

} // namespace compiler
