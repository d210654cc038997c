// What writers of kernels for few rows have in common, whatever the number of layers.
#pragma once

#include "compiler/targets/thread_block/kernel_program.h"
#include "compiler/targets/thread_block/row_walk.h"

#include <optional>

namespace compiler {

/// A kernel of vector reductions that is being written: what it takes, and the parts of the result that a
/// block has.
class FewRowsProgram : protected KernelProgram {
protected:
  using Values = ControlFlow::Values;

  /// With `dependent` the kernel waits for the grid before it by itself.
  FewRowsProgram(tile::KernelOp source, bool dependent)
      : KernelProgram(source), schedule_(source.getReducedSchedule()), dependent_(dependent),
        flow_(builder_, location_) {}

  mlir::LogicalResult checkLayout(tile::LayoutAttr layout);
  sm::MapsType mapsOfRows(tile::MatrixType matrix) override;
  /// Of a weight matrix of which a block reads so many columns at a time.
  sm::MapsType mapsOfWeights(mlir::BlockArgument weights, int64_t columns);
  /// Declares the kernel with such maps of its first weight matrix; the builder stands in its body.
  mlir::FailureOr<sm::KernelOp> declareKernel(sm::MapsType weights);
  void allocateSums(Value fragment, tile::ReducedAttr schedule);
  /// Which rows there are, and what a walk needs of the thread in a slice of `lanes` threads.
  void findRows();
  RowWalk::Thread threadOf(int64_t lanes);
  using Batch = BatchRows::Batch;
  /// What is done for a part of the result: a batch of the schedule's rows, and which of the batch's parts.
  using OfPart = llvm::function_ref<void(const Batch &, Value number)>;
  /// Runs `part` for every part that this block of `blocks_together` has, where each batch of rows has so
  /// many. For the first one it prefetches something before the grid before it has ended, where rows do not
  /// follow from that grid.
  void writeParts(int64_t parts_of_batch, int64_t blocks_together, OfPart prefetch, OfPart part);
  /// Reads rows of X: those past the last one are that one once more, since nobody stores what becomes of it.
  RowWalk::Reader readerOfX(const RowWalk &walk, const Batch &batch, const BatchRows::Row &row, bool is_first,
                            const RowWalk::SharedTerm &term);
  /// Stores sums of a batch, from the given column of a group on.
  void storeSums(Value sums, Value target, const Batch &batch, Value group, Value column);
  /// The group by which maps find numbers of columns: behind those of the experts before.
  Value groupOfColumns(const Batch &batch, Value group, tile::LayoutAttr layout) const;
  bool hasOneType() const { return layout_.getRowTypes().getCount() == 1; }

  tile::ReducedAttr schedule_;
  const bool dependent_;
  ControlFlow flow_;
  Value positions_, position_bytes_, thread_;
  /// Null in a kernel of one network.
  Value expert_starts_, experts_, x_rows_, expert_rows_, batch_rows_;
  std::optional<BatchRows> batch_;
  llvm::DenseMap<Value, Values> row_sums_;     ///< of fragments, as slices have them
  llvm::MapVector<Value, Value> sums_buffers_; ///< of fragments that maps or stores read

private:
  /// Where rows of an expert begin, or where those of the one before it end: no less than 0, and no more than
  /// there are.
  Value expertStart(Value expert);
  /// Batches of rows from one row up to another.
  Value batchesOf(Value first, Value end) const;
  void writePartsOfExperts(Value block, Value blocks, int64_t parts_of_batch, OfPart part);
};

} // namespace compiler
