// Functions of f32 for which NVIDIA GPUs have an instruction that approximates them.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace compiler {

/// Whether an operation of a map is one that such an instruction may stand for: it has the flag `afn`.
bool isApproximated(mlir::Operation &op);

/// The instruction for such an operation: ex2.approx.ftz.f32 for math.exp2, tanh.approx.f32 for math.tanh and
/// for arith.divf div.approx.ftz.f32 by 1 + exp2 and else div.full.f32. approximate-math says what their
/// errors are.
mlir::Value writeApproximation(mlir::OpBuilder &builder, mlir::Operation &op, mlir::IRMapping &values);

} // namespace compiler
