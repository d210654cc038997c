// What one thread block does for few rows, each perhaps of a type of its own, written from a tile program.
#pragma once

#include "compiler/targets/thread_block/kernel_program.h"
#include "compiler/targets/thread_block/step_terms.h"

#include <optional>

namespace compiler {

/// Writes one kernel of vector reductions.
class RowProgram : KernelProgram {
public:
  /// With `dependent` the kernel waits for the grid before it by itself.
  RowProgram(tile::KernelOp source, bool dependent);

  mlir::LogicalResult write();

private:
  using Values = llvm::SmallVector<Value>;

  /// Some rows of the batch and columns of a group.
  struct Part {
    Value row, group, column; ///< the first ones
  };
  /// A row of the batch.
  struct Row {
    Value row;
    Value exists;                   ///< i1
    Value type;                     ///< 0 where the row does not exist
    std::optional<StepTerms> terms; ///< where the row goes through terms by itself
    Value term_count;               ///< 0 where the row does not exist
  };
  /// A block of the weight matrix, and who multiplies by it.
  struct SharedTerm {
    Value input_group, weight_row;
    Values takes_part;   ///< i1, of each row
    Values coefficients; ///< f32, of each row; null where all are 1
  };

  // row_program.cpp: the kernel, and the ops of a part one by one.
  mlir::LogicalResult check(tile::ForallOp own);
  mlir::LogicalResult declare(tile::ForallOp own);
  sm::MapsType mapsOfRows(tile::MatrixType matrix) override;
  mlir::LogicalResult writeFor(tile::ForallOp own);
  mlir::LogicalResult writePart(tile::ForallOp own, const Part &part);
  mlir::LogicalResult writeOp(mlir::Operation *op, tile::ForallOp own, const Part &part);
  /// Several at the same place, of which none adds to what another one leaves.
  mlir::LogicalResult writeAddRowTerms(llvm::ArrayRef<tile::AddRowTermsOp> together);
  mlir::LogicalResult writeStore(tile::StoreRowsOp store);
  void writePrefetch(tile::ForallOp own, const Part &part);
  Part partAt(Value number);
  /// An index of the tile program: one of those that the part owns, or a constant.
  Value indexOf(Value index);

  // row_terms.cpp: which types rows have, and which terms.
  Value positionOf(Value row);
  Value countedPosition(Value row);
  Value typeAt(llvm::function_ref<Value()> position);
  Row rowAt(const Part &part, int64_t number, bool walks);
  StepTerms termsOf(Value type, Value group);
  Values termAt(const Row &row, Value ordinal);
  Values noTerm();
  /// Of several weight matrices, with all rows' sums of the first one first.
  Values addRowTerms(mlir::ValueRange weights, const Part &part, Values sums);

  // row_blocks.cpp: products by a block of the weight matrix.
  Values addProducts(mlir::ValueRange weights, const Part &part, llvm::ArrayRef<Row> rows,
                     const SharedTerm &term, Values sums);
  Values multiplyRows(mlir::ValueRange blocks, llvm::ArrayRef<Value> rows, llvm::ArrayRef<Value> coefficients,
                      mlir::ValueRange sums);
  /// A block at four coordinates of an operand's only map.
  Value locate(Value maps, llvm::ArrayRef<Value> coordinates);
  Value weightBlock(Value weights, const Part &part, Value weight_row, Value column);
  void prefetchBlock(Value weights, const Part &part, Value weight_row);
  void prefetchTerms(Value weights, const Part &part);

  // Small pieces.
  Value wide(int64_t value);
  Value wide(Value index);
  Value compare(mlir::arith::CmpIPredicate predicate, Value a, Value b);
  /// What `yes` writes where the condition holds, and what `no` writes elsewhere, of the same types.
  Values choose(Value condition, mlir::TypeRange types, llvm::function_ref<Values()> yes,
                llvm::function_ref<Values()> no);
  /// What `body` writes where the condition holds.
  void when(Value condition, llvm::function_ref<void()> body);
  /// From `first` up to `end` by `step`, with carried values.
  Values loop(Value first, Value end, Value step, mlir::ValueRange carried,
              llvm::function_ref<Values(Value index, mlir::ValueRange carried)> body);

  /// That all rows have the same terms.
  bool hasOneType() const { return layout_.getRowTypes().getCount() == 1; }
  int64_t inputWidth() const { return layout_.getIn().getWidth(0); }
  int64_t outputWidth() const { return layout_.getOut().getWidth(0); }

  tile::ReducedAttr schedule_;
  const bool dependent_;
  Coefficients coefficients_;
  Value positions_, position_bytes_;           ///< operands of the new kernel
  Value thread_, lane_, slice_;                ///< of this thread
  llvm::DenseMap<Value, Value> indices_;       ///< what the part owns
  llvm::DenseMap<Value, Values> row_sums_;     ///< of fragments, as slices have them
  llvm::MapVector<Value, Value> sums_buffers_; ///< of fragments that maps or stores read
};

} // namespace compiler
