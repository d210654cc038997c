// What writers of auxiliary kernels share: those that are no products, depend on no layer and are written as
// instructions at once.
#pragma once

#include "compiler/lower/integer_arithmetic.h"
#include "runtime/bundle/kernel_parameters.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <string>
#include <utility>

namespace compiler {

/// Loads the dialects in which such kernels are written: arith, cf, llvm, nvvm and scf.
void loadAuxiliaryDialects(mlir::MLIRContext &context);

/// A module with one kernel, built instruction by instruction.
class InstructionWriter : protected IntegerArithmetic {
protected:
  using Values = mlir::SmallVector<Value>;
  struct Parameter {
    algrt::ParameterValue value;
    Value *argument;          ///< is set to the parameter
    std::string operand = {}; ///< of the values that are of one
  };

  /// Numbers with no value beside them have `bits` bits.
  InstructionWriter(mlir::MLIRContext &context, int64_t threads, unsigned bits)
      : IntegerArithmetic(builder, mlir::UnknownLoc::get(&context), mlir::IntegerType::get(&context, bits)),
        builder(location, &context), threads(threads) {}

  /// An empty module in which a kernel for blocks of `threads` begins, of which so many at least are to find
  /// registers on a multiprocessor at a time.
  mlir::OwningOpRef<mlir::ModuleOp> declare(llvm::StringRef name, llvm::ArrayRef<Parameter> parameters,
                                            int64_t blocks_together = 1);

  mlir::Type i32() { return builder.getI32Type(); }
  mlir::Type i64() { return builder.getI64Type(); }

  Value entry(Value array, Value index, mlir::Type type) {
    return mlir::LLVM::GEPOp::create(builder, array.getType(), type, array,
                                     llvm::ArrayRef<mlir::LLVM::GEPArg>{index});
  }
  Value load(mlir::Type type, Value array, Value index) {
    return mlir::LLVM::LoadOp::create(builder, type, entry(array, index, type));
  }
  Value load(Value array, Value index) { return load(i32(), array, index); }
  void store(Value value, Value array, Value index) {
    mlir::LLVM::StoreOp::create(builder, value, entry(array, index, value.getType()));
  }
  void barrier();

  void when(Value condition, llvm::function_ref<void()> then);
  /// What `then` writes where the condition holds, elsewhere what `otherwise` does.
  Values choose(Value condition, llvm::function_ref<Values()> then, llvm::function_ref<Values()> otherwise);
  Value choose(Value condition, llvm::function_ref<Value()> then, llvm::function_ref<Value()> otherwise) {
    return choose(condition, [&] { return Values{then()}; }, [&] { return Values{otherwise()}; }).front();
  }
  Values loop(Value from, Value to, Value step, mlir::ValueRange initial,
              llvm::function_ref<Values(Value, mlir::ValueRange)> body);

  mlir::ImplicitLocOpBuilder builder;
  const int64_t threads;
  Value shared; ///< the block's shared memory
};

/// Takes a written module to the llvm and nvvm dialects. `name` is the kernel's, for the message of the
/// Failure.
void lowerAuxiliary(mlir::ModuleOp module, llvm::StringRef name);

} // namespace compiler
