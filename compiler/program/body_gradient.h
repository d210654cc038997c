// The chain rule on the body of a map.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/Support/LLVM.h"

namespace compiler {

/// Writes, where `builder` stands, the body with `arguments` for its arguments, and after it the gradient of
/// its argument number `wanted` for the gradient `upstream` of what it yields. The result has the computation
/// type of the argument's type (convert_element.h): derivatives are computed in f32 at least.
///
/// Where two arguments of a maximum or a minimum are equal, the gradient is that of the second one; that of
/// an absolute value at zero is zero. An operation that has no rule is an error at it.
mlir::FailureOr<mlir::Value> differentiateBody(mlir::OpBuilder &builder, mlir::Block &body,
                                               mlir::ValueRange arguments, mlir::Value upstream,
                                               unsigned wanted);

} // namespace compiler
