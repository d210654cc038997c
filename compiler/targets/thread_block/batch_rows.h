// Rows of a batch in the order in which they lie, each perhaps of a type of its own.
#pragma once

#include "compiler/targets/thread_block/control_flow.h"
#include "dialects/alg/alg.h"

namespace compiler {

/// Says of which types the rows are. A launch gives every row a position, or row r the position p0 + r.
class BatchRows {
public:
  using Value = mlir::Value;
  /// What of the kernel's operands says where rows are.
  struct Operands {
    Value rows, offset;              ///< how many there are, and the position of row 0 modulo the period
    Value positions, position_bytes; ///< where every row has a position of its own, and how wide one is
    /// Of experts, else null: the lists by which rows of X and positions of rows are found, and how many rows
    /// of the batch these name.
    Value x_rows = {}, expert_rows = {}, batch_rows = {};
  };

  BatchRows(mlir::OpBuilder &builder, mlir::Location location, alg::RowTypesAttr types, Operands operands);

  /// Whether all rows have one type.
  bool hasOneType() const { return types_.getCount() == 1; }
  Value count() const { return operands_.rows; }
  /// i1: the launch says where every row is.
  Value arePlaced() const;

  /// Consecutive rows that a block takes together; the first one exists.
  struct Batch {
    Value first;
    Value end;    ///< rows from here on are not there, or another expert's
    Value expert; ///< by whose weight matrices they are multiplied; null where there is one network
  };
  struct Row {
    Value row;
    Value exists; ///< i1
    Value type;   ///< 0 where the row does not exist; null where nobody asked for it
    /// Which row of X it is, of experts; where the row does not exist, that of the last one that does.
    Value row_of_x = {};
  };
  /// Row `number` of a batch.
  Row at(const Batch &batch, int64_t number, bool with_type) const;
  /// The type of a row that exists where no positions are given.
  Value countedType(Value row) const;

private:
  Value wide(int64_t value) const;
  Value wide(Value index) const;
  Value countedPosition(Value row) const;
  Value positionOf(Value row) const;
  Value listedRow(Value list, Value row) const;
  Value typeAt(llvm::function_ref<Value()> position) const;

  mlir::OpBuilder &builder_;
  mlir::Location location_;
  IntegerArithmetic math_;
  ControlFlow flow_;
  alg::RowTypesAttr types_;
  Operands operands_;
};

} // namespace compiler
