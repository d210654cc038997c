// One kernel of vector reductions, written as instructions from its tile program.
#ifndef ALGCTL_COMPILER_TARGETS_REDUCTION_REDUCTION_PROGRAM_H
#define ALGCTL_COMPILER_TARGETS_REDUCTION_REDUCTION_PROGRAM_H

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
  /// A block of the bank, and who multiplies by it.
  struct SharedTerm {
    Value input_group, bank_row;
    Values takes_part;  ///< i1, of each row
    Values coefficient; ///< f32, of each row; null where all are 1
  };

  // tile_to_reduction.cpp: the kernel around it all.
  mlir::LogicalResult check();
  mlir::LogicalResult checkOp(mlir::Operation *op, tile::OwnOp own);
  void declare();
  void writeWalk();
  void writePart(const Part &part);
  Part partAt(Value number);

  // row_terms.cpp: which types rows have, and which terms.
  Value typeAt(llvm::function_ref<Value()> position);
  Value countedPosition(Value row);
  Value positionOf(Value row);
  Row rowAt(const Part &part, std::int64_t number);
  Values addRowTerms(const Part &part, llvm::ArrayRef<Row> rows, Values sums);
  Value firstTerm(const Row &row, const Part &part);
  Value keyAt(Value at, bool first, const Row &row, const Part &part);
  Value coefficientAt(Value at, Value takes_part);
  Value readTerms(Value place);
  std::int64_t wordsOfTerm() const { return coefficients == Coefficients::General ? 3 : 2; }

  // stream_bank.cpp: products by a block of the bank.
  Values addProducts(const Part &part, llvm::ArrayRef<Row> rows, const SharedTerm &term, Values sums);
  Values multiplyRows(Value bank_start, Value bank_stride, llvm::ArrayRef<Value> row_starts,
                      llvm::ArrayRef<Value> coefficients, Values sums);
  Value bankBlock(const Part &part, Value bank_row, Value column, Value &stride);
  Values loadVectors(Value start, std::int64_t count, mlir::function_ref<Value(std::int64_t)> offset,
                     llvm::ArrayRef<Value> present, bool lasting);
  Value element(Value vector, std::int64_t index);

  // prefetch_bank.cpp: what is known of the bank before the grid before this one has ended.
  void writePrefetch(const Part &part);
  void prefetchBlock(const Part &part, Value bank_row);

  // deliver_rows.cpp: sums of all slices, and where they go.
  void deliver(const Part &part, llvm::ArrayRef<Row> rows, llvm::ArrayRef<Value> sums);
  Value addWarps(Value element);
  void writeEpilogue(Value sum, const Part &part, Value row, Value column);
  Value inputOf(tile::MapOp map, unsigned input, Value column);
  void store(Value sum, const Part &part, Value row, Value column);

  // Small pieces.
  Value greatestKey();
  Value both(Value a, Value b) { return instructions.both(a, b); }
  Value constant(bool value);
  Value wide(std::int64_t value);
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
  bool hasOneType() const { return layout.getRowTypes().getCount() == 1; }
  std::int64_t vectorWords() const { return schedule.getVector() / 2; }
  std::int64_t inputWidth() const { return layout.getIn().getWidth(0); }
  std::int64_t outputWidth() const { return layout.getOut().getWidth(0); }

  tile::KernelOp source;
  tile::LayoutAttr layout;
  tile::ReducedAttr schedule;
  const bool dependent;
  mlir::OpBuilder builder;
  mlir::Location location;
  Instructions instructions;
  Coefficients coefficients = Coefficients::One;
  bool complete = false;   ///< the terms follow from type and group
  mlir::Type element_type; ///< of the result

  mlir::LLVM::LLVMFuncOp function;
  Value x_maps, w_maps, y_maps; ///< addresses of the operands' maps
  sm::MapsType x_type, w_type, y_type;
  Value rows, offset, terms, positions, position_bytes; ///< parameters
  llvm::DenseMap<Value, Value> map_operands;            ///< and the parameters that they are
  Value total;                                          ///< the fragment that all terms are in
  llvm::SmallVector<mlir::Operation *> epilogue;        ///< what is made of it, in order
  Value lane, slice;                                    ///< of this thread
  Value shared;
};

} // namespace compiler

#endif
