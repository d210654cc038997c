// Writes one element-wise kernel as loops and vectors of a CPU.
#pragma once

#include "compiler/lower/integer_arithmetic.h"
#include "compiler/targets/elementwise/task.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace compiler {

/// Indices are i64. Every loop over columns goes a vector at a time, and over what is left one by one.
class CpuElementwiseEmitter : IntegerArithmetic {
public:
  CpuElementwiseEmitter(mlir::ModuleOp module, tile::ElementwiseOp kernel, int64_t lanes);

  /// The function behind the kernel, which stays. Failure after an error at an operation of the body.
  mlir::LogicalResult emit();

private:
  using Values = mlir::SmallVector<Value>;

  struct Operand {
    tile::Per per;
    mlir::Type element;
    Value base, stride; ///< of its first number; from one row to the next, in elements
  };
  /// A result that is summed, or of which the maximum is taken.
  struct Reduction {
    bool sum;
    unsigned result; ///< number among the results
  };

  void readOperands();
  void emitTask(Value task);
  /// Puts, and what is reduced per row or call.
  void emitRows();
  /// What is reduced per column: sums of the task's columns in memory.
  void emitColumnSums();
  void addRowsToColumnSums(mlir::ValueRange rows);

  /// The columns of a row, on top of what was accumulated before.
  Values emitColumns(Value row, mlir::ValueRange accumulators);
  /// Computes and puts `lanes` elements from the place on; what is reduced, f32.
  Values emitElements(Value row, Value column, const Values &row_numbers, int64_t lanes);
  /// The operands that have one number for the row, or for the call; null in the place of others.
  Values rowNumbers(Value row);

  Values initialAccumulators();
  void finish(Value row, mlir::ValueRange accumulators);
  void storeResult(const Reduction &reduction, Value accumulated, Value row, Value column);

  /// The sum and what the result held, times the factor; where that is 0 the result is not read.
  Value addHeld(Value sum, const Operand &factor, const Operand &result, Value row, Value column);

  Value initial(const Reduction &reduction, int64_t lanes);
  Value accumulate(const Reduction &reduction, Value accumulated, Value value);
  Value combine(const Reduction &reduction, Value a, Value b);
  mlir::Type accumulatorType(const Reduction &reduction, int64_t lanes);

  Value load(const Operand &operand, Value row, Value column, int64_t lanes);
  void store(const Operand &operand, Value row, Value column, Value value);
  Value address(const Operand &operand, Value row, Value column);

  /// As many whole units as `count` has, times the unit.
  Value wholes(Value count, int64_t unit) { return multiply(divide(count, unit), unit); }
  mlir::scf::ForOp loop(Value from, Value to, int64_t step, mlir::ValueRange initial,
                        llvm::function_ref<Values(Value, mlir::ValueRange)> body);

  mlir::ModuleOp module_;
  tile::ElementwiseOp kernel_;
  const int64_t lanes_;
  const ElementwiseTask task_size_;
  mlir::ImplicitLocOpBuilder builder_;
  mlir::SmallVector<mlir::Operation *> result_ops_;
  mlir::SmallVector<Reduction> reductions_;
  mlir::SmallVector<Operand> operands_; ///< inputs, then results
  Value descriptors_, rows_, columns_;
  Value row_begin_, row_end_, column_begin_, column_end_; ///< of the task
  Values column_sums_;                                    ///< memory of each reduction, per column
  bool failed_body_ = false;
};

} // namespace compiler
