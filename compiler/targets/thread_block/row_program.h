// What one thread block does for few rows, each perhaps of a type of its own, written from a tile program.
#pragma once

#include "compiler/targets/thread_block/few_rows_program.h"

namespace compiler {

/// Writes one kernel of vector reductions.
class RowProgram : FewRowsProgram {
public:
  RowProgram(tile::KernelOp source, bool dependent) : FewRowsProgram(source, dependent) {}

  mlir::LogicalResult write();

private:
  /// A batch of rows and columns of a group.
  struct Part {
    Batch batch;
    Value group, column; ///< the first one
  };

  mlir::LogicalResult check(tile::ForallOp own);
  mlir::LogicalResult declare(tile::ForallOp own);
  mlir::LogicalResult writePart(tile::ForallOp own, const Part &part);
  mlir::LogicalResult writeOp(mlir::Operation *op, tile::ForallOp own, const Part &part);
  /// Several at the same place, of which none adds to what another one leaves.
  mlir::LogicalResult writeAddRowTerms(llvm::ArrayRef<tile::AddRowTermsOp> together, const Part &part);
  mlir::LogicalResult writeStore(tile::StoreRowsOp store, const Part &part);
  void writePrefetch(tile::ForallOp own, const Part &part);
  void prefetchTerms(Value weights, const Part &part);
  int64_t columnBlocks() const;
  Part partAt(const Batch &batch, Value number) const;
  /// An index of the tile program: one of those that the part owns, or a constant.
  Value indexOf(Value index);

  std::optional<RowWalk> walk_;
  llvm::DenseMap<Value, Value> indices_; ///< what the part owns
};

} // namespace compiler
