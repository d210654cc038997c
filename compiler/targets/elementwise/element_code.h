// The body of an element-wise kernel, applied to numbers or to vectors of them.
#pragma once

#include "dialects/tile/tile.h"

#include "mlir/IR/Builders.h"

#include <cstdint>

namespace compiler {

/// Copies the scalar code of a body to the builder's place, so that it computes `lanes` elements at a time,
/// or with 1 a number. `inputs` stand for the body's arguments: vectors of so many, or numbers, which are the
/// same for all. Returns what the kernel's results take, in their order; failure after an error at an
/// operation that has no form on vectors.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> applyElementCode(mlir::OpBuilder &builder,
                                                                 tile::ElementwiseOp kernel,
                                                                 mlir::ValueRange inputs, int64_t lanes);

} // namespace compiler
