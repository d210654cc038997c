// What several verifiers of the dialect ask.
#pragma once

#include "dialects/tile/tile.h"

namespace tile {

/// The layout of the layer around an op, or of the kernel; null in a test that has no kernel.
LayoutAttr layoutAround(mlir::Operation *op);

/// The schedule of the layer around an op, or of the kernel, where its workers are threads; null elsewhere.
ScheduleAttr threadScheduleAround(mlir::Operation *op);

/// The same where operands come in stages.
StagedAttr stagedScheduleAround(mlir::Operation *op);

/// Of a product, a worker owns whole register tiles of rows.
mlir::LogicalResult verifyRowsOfProduct(mlir::Operation *op, ScheduleAttr schedule);

/// The body of terms begins with so many indices and a coefficient.
mlir::LogicalResult verifyTermArguments(mlir::Operation *op, mlir::Block &body, unsigned indices);

/// The same, and what is carried from one term to the next keeps its types.
mlir::LogicalResult verifyTerms(mlir::Operation *op, mlir::Block &body, unsigned indices,
                                mlir::ValueRange inits, mlir::ValueRange sums);

/// One op of the body of a map: code of arith or math on numbers of f32 and bf16, which computes in f32, and
/// of what is outside takes constants alone. Maps of other dialects have the same bodies.
mlir::LogicalResult verifyScalarCode(mlir::Operation *op);

} // namespace tile
