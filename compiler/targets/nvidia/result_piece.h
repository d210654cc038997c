// Neighbouring sums of a row in the registers of one thread, and what memory has in their place.
#pragma once

#include "compiler/targets/nvidia/lane_transposition.h"

#include "mlir/IR/Builders.h"

namespace compiler {

/// Some neighbouring columns of one row that a thread writes together, or the two of a tile one by one.
class ResultPiece {
public:
  /// f32 sums, two of each tile; `element` is f32 or bf16.
  ResultPiece(mlir::OpBuilder &builder, mlir::Location location, mlir::Type element,
              llvm::ArrayRef<mlir::Value> sums)
      : builder_(builder), location_(location), element_(element), sums_(sums) {}

  /// From two columns of each of several tiles, which a lane of a product has, to as many neighbouring
  /// columns of one tile: the sums as they are, to add to them, or, in half as many words where the result is
  /// bf16, as they are stored.
  void transposeSums(LaneTransposition &lanes);
  void transposeStored(LaneTransposition &lanes);

  /// Of all columns together in memory, and of one of them.
  mlir::Type type() const;
  mlir::Type elementType() const;

  /// Adds `beta` times what memory holds, of type(), or of elementType() for each column.
  void addHeld(mlir::Value beta, mlir::Value together);
  void addHeld(mlir::Value beta, llvm::ArrayRef<mlir::Value> columns);

  /// What memory takes: of type(), and of elementType() for one of two columns.
  mlir::Value together();
  mlir::Value alone(int64_t column);

private:
  /// f32, or two bf16 in an i32, the left one in its lower half.
  mlir::Type wordType() const;
  int64_t wordCount() const;
  /// The sums, rounded to nearest even where the result is bf16.
  llvm::ArrayRef<mlir::Value> words();
  mlir::Value asFloat(mlir::Value bits);
  void add(mlir::Value beta, llvm::ArrayRef<mlir::Value> held);

  mlir::OpBuilder &builder_;
  mlir::Location location_;
  mlir::Type element_;
  llvm::SmallVector<mlir::Value, 8> sums_;
  llvm::SmallVector<mlir::Value, 4> words_; ///< once they are asked for
};

} // namespace compiler
