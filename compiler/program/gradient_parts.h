// The parts that the uses of a value contribute to its gradient, and their sum.
#pragma once

#include "dialects/alg/alg.h"

#include "mlir/IR/Builders.h"

#include <functional>

namespace compiler {

/// A view of `tensor` with the cut of `like` and the schedule of its rows; null after an error where nobody
/// knows that.
mlir::Value viewLike(mlir::OpBuilder &builder, mlir::Location location, mlir::Value tensor, mlir::Value like);

/// A view or a tensor with other elements.
mlir::Value withElements(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                         mlir::Type element);

/// Where a value called x is, the place of its gradient, called dx.
mlir::Location gradientLocation(mlir::Value value);

class GradientParts {
public:
  /// Makes one part with elements of a given type where the builder stands; null after an error.
  using Part = std::function<mlir::Value(mlir::Type element)>;

  explicit GradientParts(mlir::OpBuilder &builder) : builder_(builder) {}

  void add(mlir::Value value, Part part) { parts_[value].push_back(std::move(part)); }
  bool has(mlir::Value value) const { return parts_.contains(value); }
  /// The gradient with elements of a type: the one part, or the sum in f32 or wider, rounded once. Asked
  /// for once.
  mlir::Value sum(mlir::Value value, mlir::Type element);

private:
  mlir::Value sumOfViews(mlir::Value value, mlir::ValueRange summands, mlir::Type element);
  mlir::Value sumOfTensors(mlir::Value value, mlir::ValueRange summands, mlir::Type element);

  mlir::OpBuilder &builder_;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Part, 1>> parts_;
};

} // namespace compiler
