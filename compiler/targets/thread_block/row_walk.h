// How a thread block goes through the terms of few rows, each perhaps of a type of its own, and multiplies by
// the blocks of the weight matrices that they name.
#pragma once

#include "compiler/targets/thread_block/batch_rows.h"
#include "compiler/targets/thread_block/step_terms.h"
#include "dialects/sm/sm.h"

#include <functional>
#include <optional>

namespace compiler {

/// The walk of one layer. Every slice of the block's threads multiplies its share of the depth.
class RowWalk {
public:
  using Value = mlir::Value;
  using Values = ControlFlow::Values;

  /// What of the thread, and of the kernel's operands, a walk needs.
  struct Thread {
    Value thread, lane, slice; ///< its number, its place in a slice, and which slice
    Value table;               ///< the terms table
  };
  /// With `own_groups` rows may go through the terms of output groups of their own.
  RowWalk(mlir::OpBuilder &builder, mlir::Location location, tile::LayoutAttr layout,
          tile::ReducedAttr schedule, const BatchRows &rows, Thread thread, bool own_groups);

  /// Multiplies from here on by the weight matrices of an expert, which lie one below the other; null: there
  /// are those of one network.
  void multiplyByExpert(Value expert) { expert_ = expert; }

  /// A row with the terms of one output group.
  struct Walker {
    BatchRows::Row row;
    Value group;
    std::optional<StepTerms> terms; ///< where the row goes through terms by itself
    Value term_count;               ///< 0 where the row has none to go through
  };
  /// `goes` is whether the row takes part, null: it does if it exists. All rows of one type have the terms of
  /// the first, so that the others do not walk.
  Walker walker(const BatchRows::Row &row, Value group, Value goes, bool walks) const;

  /// A block of the weight matrix, and who multiplies by it.
  struct SharedTerm {
    Value input_group, weight_row, group;
    Values takes_part;   ///< i1, of each row
    Values coefficients; ///< f32, of each row; null where all are 1
    Values ordinals;     ///< the number of each row's term, where it takes part
  };
  /// Reads a row's numbers from a depth on.
  using Reader = std::function<Value(Value depth)>;
  using ReaderOf = llvm::function_ref<Reader(size_t row, const SharedTerm &)>;
  /// The depth that the block multiplies, in pieces of algrt_reduction_depth; null: all of it.
  struct Depth {
    Value first, end;
  };
  /// All terms of all rows, added to the sums of several weight matrices, all rows' sums of the first one
  /// first, from column `column` of each row's group on. `reader` is asked for each row and block.
  Values addTerms(mlir::ValueRange weights, llvm::ArrayRef<Walker> walkers, Value column, Depth depth,
                  ReaderOf reader, Values sums) const;

  /// `columns` columns of some rows of a block of the weight matrix, line by line, into the second-level
  /// cache: thread t takes row `first` + t, and so on. Rows from `end` on are not there.
  void prefetchBlock(Value weights, Value weight_row, Value group, Value column, int64_t columns, Value first,
                     Value end) const;

  StepTerms termsOf(Value type, Value group) const;
  /// A block at four coordinates of an operand's only map.
  Value locate(Value maps, llvm::ArrayRef<Value> coordinates) const;
  /// Zero sums, of each row.
  Values zeroRows() const;
  /// The sums that all threads of so many blocks have once slices have met, one element after the other: of
  /// all rows, or of so many.
  sm::AccumulatorType sumsOfThreads(int64_t blocks = 1, int64_t rows = 0) const;

  int64_t inputWidth() const { return layout_.getIn().getWidth(0); }
  int64_t outputWidth() const { return layout_.getOut().getWidth(0); }
  bool isCompleteGraph() const { return layout_.getTerms().completeGraph().has_value(); }

private:
  // row_walk.cpp: which block is next, and for whom.
  Value wide(int64_t value) const;
  Value wide(Value index) const;
  Values termAt(const Walker &walker, Value ordinal) const;
  Values noTerm() const;
  SharedTerm sharedTerm(Value key) const;

  // row_blocks.cpp: products by a block of the weight matrix.
  Values addProducts(mlir::ValueRange weights, Value column, llvm::ArrayRef<Walker> walkers,
                     const SharedTerm &term, Depth depth, ReaderOf reader, Values sums) const;
  Values multiplyRows(mlir::ValueRange blocks, Depth depth, llvm::ArrayRef<Reader> rows,
                      llvm::ArrayRef<Value> coefficients, mlir::ValueRange sums) const;
  Value weightBlock(Value weights, Value group, Value weight_row, Value column) const;

  mlir::OpBuilder &builder_;
  mlir::Location location_;
  IntegerArithmetic math_;
  ControlFlow flow_;
  tile::LayoutAttr layout_;
  tile::ReducedAttr schedule_;
  const BatchRows &rows_;
  Thread thread_;
  Coefficients coefficients_;
  bool own_groups_;
  Value expert_;
};

} // namespace compiler
