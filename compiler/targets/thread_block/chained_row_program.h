// What one thread block does for few rows in a kernel of two layers, written from a tile program.
#pragma once

#include "compiler/targets/thread_block/few_rows_program.h"

#include <optional>

namespace compiler {

/// A part of the result is some rows of the batch with one output group. The blocks of a cluster have it
/// together: each makes its share of the columns of the hidden groups that the rows' terms read, multiplies
/// them by the rows of the next weight matrix that they meet, and adds its sums to those of the others.
class ChainedRowProgram : FewRowsProgram {
public:
  ChainedRowProgram(tile::KernelOp source, bool dependent) : FewRowsProgram(source, dependent) {}

  mlir::LogicalResult write();

private:
  /// The ops of the tile program.
  struct Source {
    tile::ForallOp own;
    tile::RowTermsOp row_terms;
    tile::LayerOp layer;
    tile::ForOp hidden_columns, columns;
    llvm::SmallVector<tile::AddRowTermsOp> hidden_terms;
    tile::AddRowTermsOp terms;
    tile::StoreRowsOp hidden_store, store;
  };
  /// A batch of rows and an output group.
  struct Part {
    Batch batch;
    Value group;
    llvm::SmallVector<BatchRows::Row> rows;
  };

  mlir::LogicalResult find();
  mlir::LogicalResult checkOrder();
  mlir::LogicalResult check();
  mlir::LogicalResult checkPlaces();
  sm::MapsType mapsOfFurtherWeights(size_t number) override;
  tile::LayoutAttr layoutOf(mlir::BlockArgument operand) override;
  mlir::LogicalResult declare();

  Part partAt(const Batch &batch, Value group, bool with_types) const;
  mlir::LogicalResult writePart(const Part &part);
  /// Every row's term `ordinal` of the part's group: the block's share of the hidden group that it reads.
  mlir::LogicalResult makeHidden(const Part &part, Value ordinal, llvm::ArrayRef<RowWalk::Walker> walkers);
  mlir::LogicalResult storeHidden(const Part &part, Value ordinal, Value column, Value group,
                                  std::optional<size_t> row);
  mlir::LogicalResult multiplyHidden(const Part &part, llvm::ArrayRef<RowWalk::Walker> walkers);
  /// Runs `body` in the threads that have elements of sums like these.
  void inThreadsOf(sm::AccumulatorType sums, llvm::function_ref<void()> body);
  /// The maps of a block of the tile program, of sums at a column of a group.
  mlir::LogicalResult writeMaps(mlir::Block &block, const NamedPlace &named, const Batch &batch,
                                tile::LayoutAttr layout, Value column, Value group, Value row);
  /// What the part's rows read of both layers' weight matrices, as far as it is known where rows are.
  void prefetch(const Part &part, bool before_rows);
  void prefetchTerms(Value type, Value group);
  void prefetchHidden(Value weight_row, Value group);
  void prefetchNext(Value weight_row, Value group);

  int64_t hiddenWidth() const { return hidden_layout_.getOut().getWidth(0); }
  /// Columns of a hidden group that a block makes: whole pieces of depth, as many as the others make.
  int64_t share() const;
  /// Whether a product or a map of the first layer reads an operand.
  static bool isOfFirstLayer(mlir::BlockArgument operand);
  /// Whether maps of the first layer read numbers of columns.
  bool readsColumns();
  /// Terms that an output group has at most.
  int64_t mostTerms() const;

  Source tile_;
  tile::ReducedAttr hidden_schedule_;
  tile::LayoutAttr hidden_layout_;
  std::optional<RowWalk> hidden_walk_, walk_;
  Value hidden_;      ///< the buffer
  Value begin_, end_; ///< the block's share of the columns of a hidden group
};

} // namespace compiler
