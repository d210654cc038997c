// Which types the rows of a part have, which terms, and who multiplies by a block of the weight matrix
// together.
#include "compiler/targets/thread_block/row_program.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace compiler {

/// That of a row where positions are not read, i64. Below 2^30 and below 2^31: the sum of both is an unsigned
/// number of 32 bits.
Value RowProgram::countedPosition(Value row) { return wide(math_.add(offset_, row)); }

/// The position of a row that exists, i64.
Value RowProgram::positionOf(Value row) {
  Type i64 = builder_.getI64Type(), i32 = builder_.getI32Type();
  Value given = sm::HasPositionsOp::create(builder_, location_, builder_.getI1Type(), positions_);
  auto read = [&](Type type) -> Value {
    return sm::ReadPositionOp::create(builder_, location_, type, positions_, row);
  };
  return choose(
      given, i64,
      [&] {
        return choose(
            math_.equal(position_bytes_, math_.constant(8)), i64, [&] { return Values{read(i64)}; },
            [&] { return Values{arith::ExtSIOp::create(builder_, location_, i64, read(i32))}; });
      },
      [&] { return Values{countedPosition(row)}; })[0];
}

/// That of a row at such a position. What a position modulo the period is, is one of the types whatever the
/// position: a negative one counts back from the period.
Value RowProgram::typeAt(function_ref<Value()> position) {
  const alg::RowTypesAttr types = layout_.getRowTypes();
  const int64_t width = types.getKind() == alg::RowTypeKind::Interval ? types.getWidth() : 1;
  if (hasOneType())
    return math_.constant(0);
  Value period = wide(types.getCount() * width);
  Value left = arith::RemSIOp::create(builder_, location_, position(), period);
  Value negative = compare(arith::CmpIPredicate::slt, left, wide(0));
  left = math_.select(negative, arith::AddIOp::create(builder_, location_, left, period), left);
  Value number = arith::IndexCastUIOp::create(builder_, location_, builder_.getIndexType(), left);
  return math_.divide(number, width);
}

StepTerms RowProgram::termsOf(Value type, Value group) {
  return StepTerms(math_, layout_, coefficients_, table_, type, group, /*diagonal_first=*/true);
}

/// A row that does not exist has type 0, of which there are terms to look at, and goes through none.
RowProgram::Row RowProgram::rowAt(const Part &part, int64_t number, bool walks) {
  Row row;
  row.row = math_.add(part.row, number);
  // A part has a first row.
  row.exists = number == 0 ? Value(arith::ConstantIntOp::create(builder_, location_, builder_.getI1Type(), 1))
                           : math_.less(row.row, rows_);
  if (!walks)
    return row;
  row.type = choose(
      row.exists, builder_.getIndexType(),
      [&] { return Values{typeAt([&] { return positionOf(row.row); })}; },
      [&] { return Values{math_.constant(0)}; })[0];
  row.terms.emplace(termsOf(row.type, part.group));
  row.term_count = math_.select(row.exists, row.terms->count(), math_.constant(0));
  return row;
}

/// What the term of a number names: i64, the weight row in the lower half, the input group in the upper one;
/// and its coefficient, where those are not all 1.
RowProgram::Values RowProgram::termAt(const Row &row, Value ordinal) {
  const StepTerms::Term term = row.terms->at(ordinal);
  Value upper = arith::ShLIOp::create(builder_, location_, wide(term.input_group), wide(32));
  Values found = {arith::OrIOp::create(builder_, location_, upper, wide(term.weight_row))};
  auto number = [&](float value) -> Value {
    return arith::ConstantOp::create(builder_, location_, builder_.getF32FloatAttr(value));
  };
  if (coefficients_ == Coefficients::Signs)
    found.push_back(math_.select(term.negative, number(-1), number(1)));
  else if (coefficients_ == Coefficients::General)
    found.push_back(row.terms->coefficientAt(ordinal).number);
  return found;
}

/// The same behind the last term: greater than what any term names, and any number.
RowProgram::Values RowProgram::noTerm() {
  Values none = {wide(-1)};
  if (coefficients_ != Coefficients::One)
    none.push_back(arith::ConstantOp::create(builder_, location_, builder_.getF32FloatAttr(0)));
  return none;
}

/// One block after the other, of all weight matrices: the least that some row's next term names, for all rows
/// whose next term names it. Each row goes through its own terms in their order; rows of one type have those
/// of the first.
RowProgram::Values RowProgram::addRowTerms(ValueRange weights, const Part &part, Values sums) {
  SmallVector<Row> rows;
  for (int64_t number = 0; number < schedule_.getRows(); ++number)
    rows.push_back(rowAt(part, number, /*walks=*/number == 0 || !hasOneType()));
  const ArrayRef<Row> walking = hasOneType() ? ArrayRef(rows).take_front() : ArrayRef(rows);

  // Of each row that goes through terms: the number of its next one, and what that names.
  const SmallVector<Type> named(ValueRange(noTerm()).getTypes());
  auto next_term = [&](const Row &row, Value ordinal) {
    return choose(
        math_.less(ordinal, row.term_count), named, [&] { return termAt(row, ordinal); },
        [&] { return noTerm(); });
  };
  const size_t width = 1 + named.size();
  Values initial;
  for (const Row &row : walking) {
    Value first = math_.constant(0);
    initial.push_back(first);
    initial.append(next_term(row, first));
  }
  initial.append(sums);

  auto walk = scf::WhileOp::create(builder_, location_, ValueRange(initial).getTypes(), initial);
  OpBuilder::InsertionGuard guard(builder_);
  auto block = [&](Region &region) {
    return builder_.createBlock(&region, {}, ValueRange(initial).getTypes(),
                                SmallVector<Location>(initial.size(), location_));
  };
  auto least_key = [&](ValueRange carried) {
    Value key = carried[1];
    for (size_t row = 1; row < walking.size(); ++row) {
      Value other = carried[row * width + 1];
      key = math_.select(compare(arith::CmpIPredicate::ult, key, other), key, other);
    }
    return key;
  };

  Block *before = block(walk.getBefore());
  Value any = compare(arith::CmpIPredicate::ne, least_key(before->getArguments()), wide(-1));
  scf::ConditionOp::create(builder_, location_, any, before->getArguments());

  Block *body = block(walk.getAfter());
  ValueRange carried = body->getArguments();
  Value key = least_key(carried);
  auto half = [&](Value bits) -> Value {
    Value word = arith::TruncIOp::create(builder_, location_, builder_.getI32Type(), bits);
    return arith::IndexCastUIOp::create(builder_, location_, builder_.getIndexType(), word);
  };
  SharedTerm term;
  term.weight_row = half(key);
  term.input_group = half(arith::ShRUIOp::create(builder_, location_, key, wide(32)));
  Values next;
  for (auto [number, row] : llvm::enumerate(walking)) {
    const ValueRange cursor = carried.slice(number * width, width);
    term.takes_part.push_back(compare(arith::CmpIPredicate::eq, cursor[1], key));
    term.coefficients.push_back(coefficients_ == Coefficients::One ? Value() : cursor[2]);
    next.append(choose(
        term.takes_part.back(), cursor.getTypes(),
        [&, &row = row] {
          Values moved = {math_.add(cursor[0], 1)};
          moved.append(next_term(row, moved[0]));
          return moved;
        },
        [&] { return Values(cursor); }));
  }
  term.takes_part.resize(rows.size(), term.takes_part.front());
  term.coefficients.resize(rows.size(), term.coefficients.front());
  const size_t cursors = width * walking.size();
  next.append(addProducts(weights, part, rows, term, Values(carried.drop_front(cursors))));
  scf::YieldOp::create(builder_, location_, next);
  return Values(walk.getResults().drop_front(cursors));
}

} // namespace compiler
