// The steps of a program, from the calls of its kernels.
#pragma once

#include "runtime/bundle/program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace compiler {

/// What the steps of a program name, of a function that it calls.
struct StepFunction {
  /// Number and map of a projection, or the number of an element-wise function.
  algrt::ProgramStep step;
  /// What each argument of the function is to its kernels: one operand, several where it is read in several
  /// ways, or none.
  std::vector<std::vector<std::string>> arguments;
  /// What each result is.
  std::vector<std::string> results;
  /// Whether it takes positions that are given one by one.
  bool takes_positions = false;
  /// The names of its results for people.
  std::vector<std::string> names;
};

/// The program that a function computes, all of whose operations are calls; `called` knows what. Failure
/// after an error at what is none.
mlir::FailureOr<algrt::Program>
programOf(mlir::func::FuncOp function, llvm::ArrayRef<std::string> results,
          llvm::function_ref<const StepFunction &(llvm::StringRef name)> called);

} // namespace compiler
