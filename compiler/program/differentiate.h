// Reverse differentiation of programs of the alg dialect.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace compiler {

struct GradientOptions {
  /// Of the function that is written.
  std::string name;
  /// The arguments whose gradients it returns, in this order: tensors of floats.
  llvm::SmallVector<unsigned> arguments;
  /// Where this is not empty, contractions and reductions that the gradient needs are not computed again: a
  /// function of this name returns them after the results, and the gradient takes them. Maps are computed
  /// again.
  std::string keeping;
};

/// Adds to the module of `function` one that takes the gradients of its results to those of arguments.
///
/// The new function has the arguments of the old one that it reads, in their order. Before the first one
/// whose gradient is asked for stand the gradients of the results that depend on such arguments, then the
/// values that were kept. A gradient has the type of what it belongs to, and is called by its name after a
/// `d`.
///
/// Derivatives of a map are computed in f32 at least. Where a value is used several times, the parts of its
/// gradient are added in f32 at least and rounded once. The gradient of a product that is kept `into` a wider
/// type enters further products in the type of that product's operands.
///
/// Failure after an error at the operation that has no rule; the module is then as it was.
mlir::FailureOr<mlir::func::FuncOp> differentiate(mlir::func::FuncOp function,
                                                  const GradientOptions &options);

} // namespace compiler
