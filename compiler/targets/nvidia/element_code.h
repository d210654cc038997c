// The scalar code of a map's body, as instructions of one thread.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace compiler {

/// The f32 of the bits of a bf16, i16.
mlir::Value widenedNumber(mlir::OpBuilder &builder, mlir::Location location, mlir::Value bits);

/// The number at an address of global memory, as f32. Its type is bf16 or f32.
mlir::Value loadElement(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type,
                        mlir::Value address);

/// An f32 rounded to bf16, to nearest even: the bits of it, i16.
mlir::Value roundedBits(mlir::OpBuilder &builder, mlir::Location location, mlir::Value number);

/// Writes one operation of such code, of what `values` has for its operands. All elements are f32: what the
/// code has as bf16 is the f32 of the same value.
void writeElementOp(mlir::OpBuilder &builder, mlir::Operation &op, mlir::IRMapping &values);

/// Writes the body of a map for one element where the builder stands, and returns what it yields. All
/// elements are f32: what the body has as bf16 is the f32 of the same value. Code of `arith` and `math` on
/// f32 is left as it is, for the conversion around to lower.
mlir::Value writeElement(mlir::OpBuilder &builder, mlir::Location location, mlir::Block &body,
                         mlir::ValueRange elements);

} // namespace compiler
