// The parameters of a kernel: their list (runtime/bundle/kernel_parameters.h), and the function that takes
// them.
#pragma once

#include "dialects/sm/sm.h"
#include "runtime/bundle/kernel_parameters.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace compiler {

/// Of a function: the list of its parameters, a dictionary {value, type} for each, of those of an operand
/// {operand}, too, and of maps {view}, by the names that the manifest has. Offsets follow from the types.
constexpr llvm::StringLiteral kernel_parameters_name = "kernel_parameters";

/// What an argument that a map of finished sums reads is called in lists: its name, or its number where it
/// has none.
std::string operandName(mlir::BlockArgument argument);

/// The arguments of a kernel that are maps, in the order of its first parameter: tensor maps before plain
/// ones.
llvm::SmallVector<mlir::BlockArgument> mapsInOrder(sm::KernelOp kernel);

/// What the arguments of a kernel are: all maps, then the others one after another. Fails with a message
/// where it has not as many maps of an operand as its rows need.
mlir::FailureOr<algrt::KernelParameters> parametersOf(sm::KernelOp kernel);

/// Declares a kernel of so many threads that takes a list, in whose entry block parameters are called by what
/// they are. The maps are one parameter, a struct by value.
mlir::LLVM::LLVMFuncOp declareKernel(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                                     const algrt::KernelParameters &parameters, int64_t threads,
                                     int64_t blocks_together = 1);

/// The list that declareKernel left on a function. Throws Failure for one that has none, or no proper one.
algrt::KernelParameters readParameters(mlir::LLVM::LLVMFuncOp function);

} // namespace compiler
