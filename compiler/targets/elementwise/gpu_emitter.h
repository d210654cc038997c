// Writes one element-wise kernel as instructions of a GPU's threads.
#pragma once

#include "compiler/targets/elementwise/task.h"
#include "compiler/targets/nvidia/instruction_writer.h"

#include <list>

namespace compiler {

/// Numbers of bf16 are f32 of the same value between loads and stores; places are i64.
class GpuElementwise : InstructionWriter {
public:
  explicit GpuElementwise(tile::ElementwiseOp kernel)
      : InstructionWriter(*kernel.getContext(), gpuThreads(kernel), 64), kernel_(kernel),
        result_ops_(kernel.getResultOps()), extent_(kernel.getReducedExtent()), vector_(gpuVector(kernel)),
        task_size_(gpuTask(kernel)) {}

  mlir::OwningOpRef<mlir::ModuleOp> write();

private:
  struct Operand {
    tile::Per per;
    mlir::Type element;
    std::string name;
    bool input;
    Value address, stride, number; ///< parameters
    bool isVector() const { return per == tile::Per::Element || per == tile::Per::Column; }
    int64_t bytes() const { return element.isF32() ? 4 : 2; }
  };

  mlir::OwningOpRef<mlir::ModuleOp> declareWithOperands();
  void readNumbers();
  void writeTask(Value task);
  /// Tasks of rows, one result for each of them, or none.
  void writeElements();
  void writeRows();
  void writeColumns();
  void writeAll();

  /// `vector` elements from the column on, or as many as there are; what is accumulated is added to.
  Values vectorAt(Value row, Value column, mlir::ValueRange accumulators);
  Values wholeVector(Value row, Value column, Values accumulators);
  /// One element, added to the accumulators.
  Values elementAt(Value row, Value column, mlir::ValueRange accumulators);
  /// What results take of an element, of the numbers of its operands; f32.
  Values compute(mlir::ValueRange numbers);

  /// Adds up what `count` neighbouring threads have, a power of two; the first of them has it all.
  Values addNeighbours(mlir::ValueRange accumulators, int64_t count, Value place);
  void storeResults(mlir::ValueRange accumulators, Value place);
  /// The sum and what the result held, times operand number `factor`; where that is 0 the result is not read.
  Value addHeld(Value sum, unsigned factor, const Operand &result, Value place);

  Value loadNumber(const Operand &operand, Value index);
  void storeNumber(const Operand &operand, Value index, Value value);
  Value indexOf(const Operand &operand, Value row, Value column);
  mlir::Type accumulatorType(mlir::Operation *op) {
    return mlir::isa<tile::SumOp>(op) ? mlir::Type(builder.getF64Type()) : mlir::Type(builder.getF32Type());
  }
  Values initial();
  Value combine(mlir::Operation *op, Value a, Value b);
  Value accumulate(mlir::Operation *op, Value accumulator, Value value);
  mlir::SmallVector<mlir::Operation *> reductions() {
    return mlir::SmallVector<mlir::Operation *>(llvm::make_filter_range(
        result_ops_, [](mlir::Operation *op) { return !mlir::isa<tile::PutOp>(op); }));
  }
  /// Vectors of the task's columns.
  Value vectorsOfRow();

  tile::ElementwiseOp kernel_;
  mlir::SmallVector<mlir::Operation *> result_ops_;
  const tile::Per extent_;
  const int64_t vector_;
  const ElementwiseTask task_size_;
  std::list<Operand> operands_; ///< inputs, then results
  Value rows_parameter_, columns_parameter_;
  Value thread_, rows_, columns_; ///< i64
  Value aligned_;                 ///< whether all that is read and written by vectors can be
  Value row_begin_, row_end_, column_begin_, column_end_;
};

} // namespace compiler
