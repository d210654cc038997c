// What writers of a thread block's program have in common, whatever the schedule.
#pragma once

#include "compiler/lower/integer_arithmetic.h"
#include "dialects/sm/sm.h"

#include <utility>

namespace compiler {

/// A kernel that is being written: its operands, and maps of finished sums.
class KernelProgram {
protected:
  using Value = mlir::Value;

  explicit KernelProgram(tile::KernelOp source);
  ~KernelProgram() = default;

  // kernel_operands.cpp: what the kernel takes.
  void sortOperands();
  /// Declares it with the maps of X, W and Y, the rows, the offset and the terms table.
  sm::KernelOp declare(sm::MapsType x, sm::MapsType w, sm::MapsType y);
  /// Further weight matrices, what maps read and further results follow what every kernel takes.
  mlir::LogicalResult declareFurther(mlir::Block &body);
  /// Maps of a weight matrix behind the first one, and the layout whose columns an operand of maps has: of
  /// kernels of one layer those of W, and the kernel's.
  virtual sm::MapsType mapsOfFurtherWeights(size_t) { return cast<sm::MapsType>(w_.getType()); }
  virtual tile::LayoutAttr layoutOf(mlir::BlockArgument) { return layout_; }
  mlir::LogicalResult checkOperands();
  /// Whether the parts that blocks own are cut in these steps along these axes, and no others.
  static bool goesBy(tile::ForallOp own, llvm::ArrayRef<std::pair<tile::AxisKind, int64_t>> steps);
  sm::MapsType mapsOf(int64_t count, int64_t rows, int64_t columns, mlir::Type element, int64_t dimension,
                      int64_t vector);
  /// Rows of the runs that so many maps of an operand with rows join, or 0; one map has all rows as they lie.
  int64_t runOf(int64_t maps) const;
  /// Of rows of the batch, one column or those that a block stores.
  virtual sm::MapsType mapsOfRows(tile::MatrixType matrix) = 0;

  /// By which values of the tile program maps name what the block has sums of: type and row, or the row of
  /// the batch; group and column.
  struct NamedPlace {
    NamedPlace(llvm::ArrayRef<Value> rows, Value group, Value column)
        : rows(rows), group(group), column(column) {}
    explicit NamedPlace(tile::ForallOp own);

    llvm::SmallVector<Value> rows;
    Value group, column;
  };
  // kernel_maps.cpp: element-wise code on such sums, from a column of a group on. `rows` are the map and the
  // four coordinates of what operands with rows have there.
  mlir::LogicalResult writeMap(tile::MapOp map, const NamedPlace &named, Value column, Value group,
                               llvm::ArrayRef<Value> rows);
  Value inputOf(tile::MapOp map, unsigned input, const NamedPlace &named);

  tile::KernelOp source_;
  tile::LayoutAttr layout_;
  mlir::OpBuilder builder_;
  mlir::Location location_;
  IntegerArithmetic math_;
  llvm::SmallVector<mlir::BlockArgument> source_weights_, source_operands_, source_results_; ///< but X
  Value x_, w_, y_, rows_, offset_, table_; ///< operands of the new kernel; in mode j those of X, dY and dW
  llvm::SmallVector<Value> weights_;        ///< W and those behind it
  llvm::DenseMap<Value, Value>
      operands_;                      ///< of maps, and results: those of the tile program, of the new kernel
  llvm::DenseMap<Value, Value> sums_; ///< fragments of the tile program
};

} // namespace compiler
