// Programs of the alg dialect, computed in double precision by their definition: the reference for kernels
// and passes.
#pragma once

#include "compiler/program/evaluate_body.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>
#include <vector>

namespace compiler {

/// A tensor of any rank, its last dimension fastest. Row types and positions are whole numbers in it; a
/// number is an array of rank 0 with one value. In the place of an index, the position of the first row,
/// there may be an array of rank 1 with the position of every row.
struct DenseArray {
  std::vector<int64_t> shape;
  std::vector<double> values;
  /// In the place of an index, what is added to the values: a position from 2^53 on need not be a double.
  int64_t base = 0;

  bool operator==(const DenseArray &) const = default;
};

/// The number of elements of a shape.
int64_t elementCount(llvm::ArrayRef<int64_t> shape);

/// The results of a function for its arguments, in their order. Contractions go over the terms of the
/// algebra's lift, maps over the operations of their bodies, all in double precision: conversions between
/// element types do nothing, so that the result is that of exact arithmetic on the arguments as they are
/// given. With a rounding they are those of numbers that every conversion to bf16, and every product and
/// reduction into bf16, has moved. Calls go to functions of the same module.
///
/// Failure after an error at the function where arguments do not fit it, or at an operation that cannot be
/// computed.
mlir::FailureOr<std::vector<DenseArray>>
evaluate(mlir::func::FuncOp function, const std::vector<DenseArray> &arguments, Rounding rounding = {});

} // namespace compiler
