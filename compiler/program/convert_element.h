// Conversions between element types of floats, without a detour where there is a way back.
#pragma once

#include "mlir/IR/Builders.h"

namespace compiler {

/// `value`, a float or a tensor of floats, with elements of another float type. What was widened from that
/// type is taken as it was.
mlir::Value convertElement(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                           mlir::Type element);

/// The type in which gradients and sums of values of a float type are computed: f32, or the type itself where
/// it is wider.
mlir::Type computationType(mlir::Type element);

} // namespace compiler
