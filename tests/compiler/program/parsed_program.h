// Programs from text, and what tests do with them: values, directional derivatives.
#pragma once

#include "compiler/program/evaluate.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <random>
#include <string>

namespace program_test {

/// A context with the dialects of programs.
class ProgramContext {
public:
  ProgramContext();
  /// Null, and a failure of the test, where the text is wrong.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);

  mlir::MLIRContext context;
};

using NamedArrays = std::map<std::string, compiler::DenseArray>;

/// Uniform numbers between -1 and 1.
compiler::DenseArray randomArray(std::mt19937 &random, std::vector<int64_t> shape);
/// An array for each argument by its name: for tensors of floats random ones with `rows` for every dynamic
/// size, for positions the number `position`, for vectors of row types random ones below `types`.
NamedArrays randomArguments(std::mt19937 &random, mlir::func::FuncOp function, int64_t rows, int64_t position,
                            int64_t types);

/// The results of a function. Arguments without a name are taken from `unnamed`, in order. A failure of the
/// test where it cannot be computed.
std::vector<compiler::DenseArray> call(mlir::func::FuncOp function, const NamedArrays &named,
                                       std::vector<compiler::DenseArray> unnamed = {});

double innerProduct(const compiler::DenseArray &a, const compiler::DenseArray &b);

/// Compares the gradient of `function` that `alg-differentiate` writes, for all its tensors of floats, with
/// central differences along random directions; with and without what the forward function keeps.
void checkGradients(mlir::func::FuncOp function, const NamedArrays &arguments, std::mt19937 &random);

} // namespace program_test
