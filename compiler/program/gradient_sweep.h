// The reverse sweep over a program: the rules of its operations.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace compiler {

/// Makes of a copy of a function one that returns the gradients of the arguments `wanted` instead of its
/// results. The gradients of the results become arguments number `first` and on; their number is put into
/// `upstream`. What the function computed is still there, needed or not. Failure after an error at an
/// operation without a rule.
mlir::LogicalResult sweepGradients(mlir::func::FuncOp copy, llvm::ArrayRef<unsigned> wanted, unsigned first,
                                   unsigned &upstream);

} // namespace compiler
