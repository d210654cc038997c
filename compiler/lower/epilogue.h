// What becomes of a product's finished sums before they are stored.
#ifndef ALGCTL_COMPILER_LOWER_EPILOGUE_H
#define ALGCTL_COMPILER_LOWER_EPILOGUE_H

#include "dialects/tile/tile.h"

#include "mlir/IR/Builders.h"

#include <functional>
#include <string>
#include <vector>

namespace compiler {

/// Maps of the sums, one after another. The kernel takes what they read as operands between the bank and the
/// result.
struct Epilogue {
  /// What an operand has: a number for each column of the result, one for each row of X, an element for each
  /// of the result, or one number for all.
  enum class Shape { PerColumn, PerRow, PerElement, Number };
  struct Operand {
    Shape shape;
    mlir::Type element; ///< as it lies in memory; f32 for a number
    std::string name;   ///< for readers of the printed program
  };
  /// What a step makes of the sums that the one before has left, in the place of an operand.
  static constexpr std::size_t sums = ~std::size_t{0};
  struct Step {
    std::vector<std::size_t> inputs; ///< of the body: numbers of operands, and `sums`
    mlir::Type result;               ///< f32 or bf16
    /// Writes the body where the builder stands: of elements as they lie in memory, or as the step before
    /// left them, one of the result's type.
    std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)> body;
  };

  std::vector<Operand> operands;
  std::vector<Step> steps;

  /// Adds a number for each column of the result, a bias, to f32 sums.
  void addBias(mlir::Type element);
  /// Rounds sums to `element`, where they are not of that type.
  void round(mlir::Type element);

  /// The type of an operand in a kernel of this layout.
  mlir::Type typeOf(const Operand &operand, tile::LayoutAttr layout) const;
};

/// Gives the epilogue's operands of a kernel, which stand between the bank and the result, their names.
void nameOperands(const Epilogue &epilogue, mlir::Block &operands);

/// Where a tile of the result begins. The type is null where rows are of the batch, whatever their types.
struct TilePlace {
  mlir::Value type, row, group, column;
};

/// The maps of the epilogue where the builder stands, and the conversion to `result`; `operands` are the
/// kernel's, in the order of the epilogue's.
mlir::Value writeEpilogue(mlir::OpBuilder &builder, mlir::Location location, const Epilogue &epilogue,
                          mlir::ValueRange operands, const TilePlace &place, mlir::Value sums,
                          mlir::Type result);

} // namespace compiler

#endif
