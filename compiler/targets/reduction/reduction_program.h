// One kernel of vector reductions, written as instructions from its tile program.
#pragma once

#include "compiler/schedule/coefficients.h"
#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/plain_map.h"
#include "dialects/sm/sm.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <functional>

namespace compiler {

/// Writes one kernel. Numbers of the program are i32 unless something else is said.
class ReductionProgram {
public:
  /// With `dependent` the kernel waits for the grid before it by itself.
  ReductionProgram(tile::KernelOp source, bool dependent);

  mlir::LogicalResult write();

private:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  /// What a block computes at a time.
  struct Part {
    Value row, group, column; ///< the first ones
  };
  /// A row of the batch.
  struct Row {
    Value row;
    Value exists; ///< i1
    Value type;   ///< 0 where the row does not exist
    Value end;    ///< where its terms end: of a complete graph their number, else a place in the terms table
  };
  /// Where rows are in their terms, one of each.
  struct Cursors {
    Values at;   ///< the next term: its number, or its place in the terms table
    Values keys; ///< i64, the block and the input group that it names; past the last term `no_key`
  };
  /// A block of the weight matrix, and who multiplies by it.
  struct SharedTerm {
    Value input_group, weight_row;
    Values takes_part;  ///< i1, of each row
    Values coefficient; ///< f32, of each row; null where all are 1
  };

  // tile_to_reduction.cpp: the kernel around it all.
  mlir::LogicalResult check();
  mlir::LogicalResult checkOp(mlir::Operation *op, tile::ForallOp own);
  void declare();
  void writeFor();
  void writePart(const Part &part);
  Part partAt(Value number);

  // row_terms.cpp: which types rows have, and which terms.
  Value typeAt(llvm::function_ref<Value()> position);
  Value countedPosition(Value row);
  Value positionOf(Value row);
  Row rowAt(const Part &part, int64_t number);
  Values addRowTerms(const Part &part, llvm::ArrayRef<Row> rows, Values sums);
  Value firstTerm(const Row &row, const Part &part);
  Value keyAt(Value at, bool first, const Row &row, const Part &part);
  Value coefficientAt(Value at, Value takes_part);
  Value readTerms(Value place);
  int64_t wordsOfTerm() const { return coefficients_ == Coefficients::General ? 3 : 2; }

  // stream_weights.cpp: products by a block of the weight matrix.
  Values addProducts(const Part &part, llvm::ArrayRef<Row> rows, const SharedTerm &term, Values sums);
  Values multiplyRows(Value weight_start, Value weight_stride, llvm::ArrayRef<Value> row_starts,
                      llvm::ArrayRef<Value> coefficients, Values sums);
  Value weightBlock(const Part &part, Value weight_row, Value column, Value &stride);
  Values loadVectors(Value start, int64_t count, mlir::function_ref<Value(int64_t)> offset,
                     llvm::ArrayRef<Value> present, bool lasting);
  Value element(Value vector, int64_t index);

  // prefetch_weights.cpp: what is known of the weight matrix before the grid before this one has ended.
  void writePrefetch(const Part &part);
  void prefetchBlock(const Part &part, Value weight_row);

  // store_rows.cpp: sums of all slices, and where they go.
  void store_sums(const Part &part, llvm::ArrayRef<Row> rows, llvm::ArrayRef<Value> sums);
  Value addWarps(Value element);
  void writeEpilogue(Value sum, const Part &part, Value row, Value column);
  Value inputOf(tile::MapOp map, unsigned input, Value column);
  void store(Value sum, const Part &part, Value row, Value column);

  // Small pieces.
  Value greatestKey();
  Value both(Value a, Value b) { return instructions_.both(a, b); }
  Value constant(bool value);
  Value wide(int64_t value);
  Value compare(mlir::LLVM::ICmpPredicate predicate, Value a, Value b);
  Value least(Value a, Value b);
  Value multiply(Value a, Value b);
  mlir::scf::IfOp when(Value condition, mlir::TypeRange results = {}, bool otherwise = false);
  /// What `yes` writes where the condition holds, and what `no` writes elsewhere, of the same types.
  Values choose(Value condition, mlir::TypeRange types, llvm::function_ref<Values()> yes,
                llvm::function_ref<Values()> no);
  /// From `first` up to `end` by `step`, with carried values.
  Values loop(Value first, Value end, Value step, mlir::ValueRange carried,
              llvm::function_ref<Values(Value index, mlir::ValueRange carried)> body);

  /// That all rows have the same terms.
  bool hasOneType() const { return layout_.getRowTypes().getCount() == 1; }
  int64_t vectorWords() const { return schedule_.getVector() / 2; }
  int64_t inputWidth() const { return layout_.getIn().getWidth(0); }
  int64_t outputWidth() const { return layout_.getOut().getWidth(0); }

  tile::KernelOp source_;
  tile::LayoutAttr layout_;
  tile::ReducedAttr schedule_;
  const bool dependent_;
  mlir::OpBuilder builder_;
  mlir::Location location_;
  Instructions instructions_;
  Coefficients coefficients_ = Coefficients::One;
  bool complete_ = false;   ///< the terms follow from type and group
  mlir::Type element_type_; ///< of the result

  mlir::LLVM::LLVMFuncOp function_;
  Value x_maps_, w_maps_, y_maps_; ///< addresses of the operands' maps
  sm::MapsType x_type_, w_type_, y_type_;
  Value rows_, offset_, terms_, positions_, position_bytes_; ///< parameters
  llvm::DenseMap<Value, Value> map_operands_;                ///< and the parameters that they are
  Value total_;                                              ///< the fragment that all terms are in
  llvm::SmallVector<mlir::Operation *> epilogue_;            ///< what is made of it, in order
  Value lane_, slice_;                                       ///< of this thread
  Value shared_;
};

} // namespace compiler
