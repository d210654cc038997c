#include "compiler/targets/thread_block/batch_rows.h"

#include "dialects/sm/sm.h"

using namespace mlir;

namespace compiler {

BatchRows::BatchRows(OpBuilder &builder, Location location, alg::RowTypesAttr types, Operands operands)
    : builder_(builder), location_(location), math_(builder, location), flow_(builder, location),
      types_(types), operands_(operands) {}

Value BatchRows::wide(int64_t value) const {
  return arith::ConstantIntOp::create(builder_, location_, builder_.getI64Type(), value);
}

Value BatchRows::wide(Value index) const {
  return arith::IndexCastUIOp::create(builder_, location_, builder_.getI64Type(), index);
}

Value BatchRows::arePlaced() const {
  return sm::HasPositionsOp::create(builder_, location_, builder_.getI1Type(), operands_.positions);
}

/// That of a row where positions are not read, i64. Below 2^30 and below 2^31: the sum of both is an unsigned
/// number of 32 bits.
Value BatchRows::countedPosition(Value row) const { return wide(math_.add(operands_.offset, row)); }

/// The row of the batch that a row which exists is by a list, or itself where the launch has none. A number
/// that is no row, which no host has looked at, counts as the nearest one, so that nothing else is read.
Value BatchRows::listedRow(Value list, Value row) const {
  using Values = ControlFlow::Values;
  Value given = sm::HasExpertRowsOp::create(builder_, location_, builder_.getI1Type(), list);
  return flow_.choose(
      given, builder_.getIndexType(),
      [&] {
        Value read =
            math_.asIndex(sm::ReadExpertRowOp::create(builder_, location_, builder_.getI32Type(), list, row));
        Value last = math_.subtract(operands_.batch_rows, math_.constant(1));
        return Values{math_.greatest(math_.least(read, last), math_.constant(0))};
      },
      [&] { return Values{row}; })[0];
}

/// The position of a row that exists, i64.
Value BatchRows::positionOf(Value row) const {
  if (operands_.expert_rows)
    row = listedRow(operands_.expert_rows, row);
  Type i64 = builder_.getI64Type(), i32 = builder_.getI32Type();
  using Values = ControlFlow::Values;
  Value given = arePlaced();
  auto read = [&](Type type) -> Value {
    return sm::ReadPositionOp::create(builder_, location_, type, operands_.positions, row);
  };
  return flow_.choose(
      given, i64,
      [&] {
        return flow_.choose(
            math_.equal(operands_.position_bytes, math_.constant(8)), i64, [&] { return Values{read(i64)}; },
            [&] { return Values{arith::ExtSIOp::create(builder_, location_, i64, read(i32))}; });
      },
      [&] { return Values{countedPosition(row)}; })[0];
}

/// That of a row at such a position. What a position modulo the period is, is one of the types whatever the
/// position: a negative one counts back from the period.
Value BatchRows::typeAt(function_ref<Value()> position) const {
  const int64_t width = types_.getKind() == alg::RowTypeKind::Interval ? types_.getWidth() : 1;
  if (hasOneType())
    return math_.constant(0);
  Value period = wide(types_.getCount() * width);
  Value left = arith::RemSIOp::create(builder_, location_, position(), period);
  Value negative = arith::CmpIOp::create(builder_, location_, arith::CmpIPredicate::slt, left, wide(0));
  left = math_.select(negative, arith::AddIOp::create(builder_, location_, left, period), left);
  Value number = arith::IndexCastUIOp::create(builder_, location_, builder_.getIndexType(), left);
  return math_.divide(number, width);
}

BatchRows::Row BatchRows::at(const Batch &batch, int64_t number, bool with_type) const {
  Row row;
  row.row = math_.add(batch.first, number);
  row.exists = number == 0 ? Value(arith::ConstantIntOp::create(builder_, location_, builder_.getI1Type(), 1))
                           : math_.less(row.row, batch.end);
  if (with_type)
    row.type = flow_.choose(
        row.exists, builder_.getIndexType(),
        [&] { return ControlFlow::Values{typeAt([&] { return positionOf(row.row); })}; },
        [&] { return ControlFlow::Values{math_.constant(0)}; })[0];
  if (operands_.x_rows) {
    Value last = math_.subtract(batch.end, math_.constant(1));
    row.row_of_x = listedRow(operands_.x_rows, number == 0 ? row.row : math_.least(row.row, last));
  }
  return row;
}

Value BatchRows::countedType(Value row) const {
  return typeAt([&] { return countedPosition(row); });
}

} // namespace compiler
