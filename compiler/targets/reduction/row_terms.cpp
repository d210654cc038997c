// Which types the rows of a part have, which terms, and who multiplies by a block of the weight matrix
// together.
#include "compiler/targets/reduction/reduction_program.h"

using namespace mlir;

namespace compiler {

/// That of a row where positions are not read, i64. Below 2^30 and below 2^31: the sum of both is an unsigned
/// number of 32 bits.
Value ReductionProgram::countedPosition(Value row) {
  return instructions_.wide(instructions_.add(offset_, row));
}

/// The position of a row that exists, i64.
Value ReductionProgram::positionOf(Value row) {
  Type i64 = builder_.getI64Type(), i32 = builder_.getI32Type();
  Value none = LLVM::ZeroOp::create(builder_, location_, positions_.getType());
  auto at = [&](int64_t bytes) {
    return instructions_.advance(positions_, instructions_.multiply(instructions_.wide(row), bytes));
  };
  return choose(
      compare(LLVM::ICmpPredicate::eq, positions_, none), i64, [&] { return Values{countedPosition(row)}; },
      [&] {
        return choose(
            instructions_.equal(position_bytes_, 8), i64,
            [&] { return Values{LLVM::LoadOp::create(builder_, location_, i64, at(8), /*alignment=*/8)}; },
            [&] {
              Value position = LLVM::LoadOp::create(builder_, location_, i32, at(4), /*alignment=*/4);
              return Values{LLVM::SExtOp::create(builder_, location_, i64, position)};
            });
      })[0];
}

/// That of a row at such a position. What a position modulo the period is, is one of the types whatever the
/// position: a negative one counts back from the period.
Value ReductionProgram::typeAt(function_ref<Value()> position) {
  const alg::RowTypesAttr types = layout_.getRowTypes();
  const int64_t width = types.getKind() == alg::RowTypeKind::Interval ? types.getWidth() : 1,
                period = types.getCount() * width;
  if (types.getCount() == 1)
    return instructions_.constant(0);
  Value left = LLVM::SRemOp::create(builder_, location_, position(), wide(period));
  Value negative = compare(LLVM::ICmpPredicate::slt, left, wide(0));
  left = instructions_.select(negative, instructions_.add(left, wide(period)), left);
  Value number = LLVM::TruncOp::create(builder_, location_, builder_.getI32Type(), left);
  return instructions_.divide(number, width);
}

Value ReductionProgram::readTerms(Value place) {
  Value at = LLVM::GEPOp::create(builder_, location_, terms_.getType(), builder_.getI32Type(), terms_,
                                 ArrayRef<LLVM::GEPArg>{place});
  return LLVM::LoadOp::create(builder_, location_, builder_.getI32Type(), at, /*alignment=*/4);
}

ReductionProgram::Row ReductionProgram::rowAt(const Part &part, int64_t number) {
  Row row;
  row.row = instructions_.add(part.row, number);
  // A part has a first row.
  row.exists = number == 0 ? constant(true) : compare(LLVM::ICmpPredicate::ult, row.row, rows_);
  Type i32 = builder_.getI32Type();
  Value zero = instructions_.constant(0);
  const Values found = choose(
      row.exists, {i32, i32},
      [&]() -> Values {
        Value type = typeAt([&] { return positionOf(row.row); });
        if (complete_) {
          // B(i, j) = {i, j}, and one term where i = j.
          Value own = compare(LLVM::ICmpPredicate::eq, type, part.group);
          return {type, instructions_.select(own, instructions_.constant(1), instructions_.constant(2))};
        }
        Row known{row.row, row.exists, type, {}};
        // The next entry is where those of the next group begin.
        Part next = part;
        next.group = instructions_.add(part.group, 1);
        return {type, firstTerm(known, next)};
      },
      [&]() -> Values { return {zero, zero}; });
  row.type = found[0];
  row.end = found[1];
  return row;
}

/// Where the terms of (type, group) begin.
Value ReductionProgram::firstTerm(const Row &row, const Part &part) {
  if (complete_)
    return instructions_.constant(0);
  const int64_t types = layout_.getTerms().types(), groups = layout_.getTerms().outputGroups();
  Value entry = instructions_.add(instructions_.multiply(row.type, groups), part.group);
  // Behind the starts come the words of each term.
  return instructions_.add(instructions_.multiply(readTerms(entry), wordsOfTerm()), types * groups + 1);
}

Value ReductionProgram::greatestKey() { return wide(-1); }

/// What the term at `at`, the first one or another, names: the weight row in the lower half, the input group
/// in the upper one.
Value ReductionProgram::keyAt(Value at, bool first, const Row &row, const Part &part) {
  Value group, weight_row;
  if (complete_) {
    // The diagonal block before the type's own, for all rows alike.
    group = weight_row = first ? part.group : row.type;
  } else {
    group = readTerms(at);
    constexpr int64_t all_but_sign = 0x7fffffff;
    weight_row = readTerms(instructions_.add(at, 1));
    if (coefficients_ == Coefficients::Signs)
      weight_row = instructions_.bitAnd(weight_row, all_but_sign);
  }
  Value upper = LLVM::ShlOp::create(builder_, location_, instructions_.wide(group), wide(32));
  return LLVM::OrOp::create(builder_, location_, upper, instructions_.wide(weight_row));
}

/// That of the term at `at`, where the row takes part; elsewhere any number.
Value ReductionProgram::coefficientAt(Value at, Value takes_part) {
  if (coefficients_ == Coefficients::One)
    return {};
  const int64_t word = coefficients_ == Coefficients::General ? 2 : 1;
  // Behind its last term a row looks at the first word, which is there.
  Value bits =
      readTerms(instructions_.select(takes_part, instructions_.add(at, word), instructions_.constant(0)));
  if (coefficients_ == Coefficients::Signs) {
    // The sign in front of one.
    constexpr int64_t sign = 0x80000000, one = 0x3f800000;
    bits = instructions_.bitOr(instructions_.bitAnd(bits, sign), one);
  }
  return LLVM::BitcastOp::create(builder_, location_, builder_.getF32Type(), bits);
}

/// One block of the weight matrix after the other: the least that some row's next term names, for all rows
/// whose next term names it. Each row goes through its own terms in their order; rows of one type have those
/// of the first.
ReductionProgram::Values ReductionProgram::addRowTerms(const Part &part, ArrayRef<Row> owned, Values sums) {
  Type i32 = builder_.getI32Type(), i64 = builder_.getI64Type();
  const ArrayRef<Row> walking = hasOneType() ? owned.take_front() : owned;
  Values initial;
  for (const Row &row : walking) {
    const Values begun = choose(
        row.exists, {i32, i64},
        [&]() -> Values {
          Value at = firstTerm(row, part);
          if (complete_) // which has a term for every type and group
            return {at, keyAt(at, /*first=*/true, row, part)};
          const Values key = choose(
              compare(LLVM::ICmpPredicate::ult, at, row.end), i64,
              [&] { return Values{keyAt(at, /*first=*/true, row, part)}; },
              [&] { return Values{greatestKey()}; });
          return {at, key[0]};
        },
        [&]() -> Values { return {instructions_.constant(0), greatestKey()}; });
    initial.append(begun);
  }
  initial.append(sums);

  auto walk = scf::WhileOp::create(builder_, location_, ValueRange(initial).getTypes(), initial);
  const size_t cursors = 2 * walking.size();
  OpBuilder::InsertionGuard guard(builder_);
  auto block = [&](Region &region) {
    SmallVector<Location> locations(initial.size(), location_);
    return builder_.createBlock(&region, {}, ValueRange(initial).getTypes(), locations);
  };
  auto least_key = [&](ValueRange carried) {
    Value key = carried[1];
    for (size_t row = 1; row < walking.size(); ++row)
      key = least(key, carried[2 * row + 1]);
    return key;
  };

  Block *before = block(walk.getBefore());
  builder_.setInsertionPointToStart(before);
  Value any = compare(LLVM::ICmpPredicate::ne, least_key(before->getArguments()), greatestKey());
  scf::ConditionOp::create(builder_, location_, any, before->getArguments());

  Block *body = block(walk.getAfter());
  builder_.setInsertionPointToStart(body);
  ValueRange carried = body->getArguments();
  Value key = least_key(carried);
  SharedTerm term;
  term.weight_row = LLVM::TruncOp::create(builder_, location_, i32, key);
  term.input_group = LLVM::TruncOp::create(
      builder_, location_, i32, LLVM::LShrOp::create(builder_, location_, key, wide(32)).getResult());
  for (size_t row = 0; row < walking.size(); ++row) {
    term.takes_part.push_back(compare(LLVM::ICmpPredicate::eq, carried[2 * row + 1], key));
    term.coefficient.push_back(coefficientAt(carried[2 * row], term.takes_part.back()));
  }
  Values next;
  for (size_t row = 0; row < walking.size(); ++row) {
    Value at = carried[2 * row];
    const Values moved = choose(
        term.takes_part[row], {i32, i64},
        [&]() -> Values {
          Value behind = instructions_.add(at, complete_ ? 1 : wordsOfTerm());
          const Values key = choose(
              compare(LLVM::ICmpPredicate::ult, behind, walking[row].end), i64,
              [&] { return Values{keyAt(behind, /*first=*/false, walking[row], part)}; },
              [&] { return Values{greatestKey()}; });
          return {behind, key[0]};
        },
        [&]() -> Values { return {at, carried[2 * row + 1]}; });
    next.append(moved);
  }
  term.takes_part.resize(owned.size(), term.takes_part.front());
  term.coefficient.resize(owned.size(), term.coefficient.front());
  next.append(addProducts(part, owned, term, Values(carried.drop_front(cursors))));
  scf::YieldOp::create(builder_, location_, next);
  return Values(walk.getResults().drop_front(cursors));
}

} // namespace compiler
