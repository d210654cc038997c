// What becomes of the finished sums of products before they are stored.
#pragma once

#include "dialects/tile/tile.h"

#include "mlir/IR/Builders.h"

#include <functional>
#include <string>
#include <vector>

namespace compiler {

/// Maps of sums, each of which may read several sums, what other maps have left, and operands of the kernel,
/// which stand between the weight matrices and the results.
struct Epilogue {
  /// What an operand has: a number for each column of the result, one for each row of X, an element for each
  /// of the result, or one number for all.
  enum class Shape { PerColumn, PerRow, PerElement, Number };
  struct Operand {
    Shape shape;
    mlir::Type element; ///< as it lies in memory; f32 for a number
    std::string name;   ///< the kernel's, by which a launch finds it
  };
  /// Something that a step reads, or that is stored.
  struct Source {
    enum class Kind {
      Sums,    ///< of a product, in f32
      Operand, ///< of the kernel
      Step     ///< what it has left
    };
    Kind kind;
    size_t number; ///< of the product, of the operand, of the step
  };
  struct Step {
    std::vector<Source> inputs; ///< of the body; earlier steps alone
    mlir::Type result;          ///< f32 or bf16
    /// Writes the body where the builder stands: of elements as they lie in memory, or as the steps before
    /// left them, one of the result's type.
    std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)> body;
  };
  struct Result {
    Source value;
    mlir::Type element; ///< that it is stored in, after one rounding where it is of another type
  };

  std::vector<Operand> operands;
  std::vector<Step> steps;
  std::vector<Result> results;

  Source addStep(Step step);
  /// f32 sums rounded to `element`; the sums themselves where that is their type.
  Source round(Source sums, mlir::Type element);
};

/// Where a tile of the result begins. The type is null where rows are of the batch, whatever their types.
struct TilePlace {
  mlir::Value type, row, group, column;
};

/// The maps of the epilogue where the builder stands, and what is stored for each of its results; `operands`
/// are the kernel's, in the order of the epilogue's, `sums` fragments of one shape.
llvm::SmallVector<mlir::Value> writeEpilogue(mlir::OpBuilder &builder, mlir::Location location,
                                             const Epilogue &epilogue, mlir::ValueRange operands,
                                             const TilePlace &place, mlir::ValueRange sums);

} // namespace compiler
