// Which types the rows of a part have, which terms, and who multiplies by a block of the bank together.
#include "compiler/targets/reduction/reduction_program.h"

using namespace mlir;

namespace compiler {

/// That of a row where positions are not read, i64. Below 2^30 and below 2^31: the sum of both is an unsigned
/// number of 32 bits.
Value ReductionProgram::countedPosition(Value row) {
  return instructions.wide(instructions.add(offset, row));
}

/// The position of a row that exists, i64.
Value ReductionProgram::positionOf(Value row) {
  Type i64 = builder.getI64Type(), i32 = builder.getI32Type();
  Value none = LLVM::ZeroOp::create(builder, location, positions.getType());
  auto at = [&](std::int64_t bytes) {
    return instructions.advance(positions, instructions.multiplyWide(instructions.wide(row), bytes));
  };
  return choose(
      compare(LLVM::ICmpPredicate::eq, positions, none), i64, [&] { return Values{countedPosition(row)}; },
      [&] {
        return choose(
            instructions.equal(position_bytes, 8), i64,
            [&] { return Values{LLVM::LoadOp::create(builder, location, i64, at(8), /*alignment=*/8)}; },
            [&] {
              Value position = LLVM::LoadOp::create(builder, location, i32, at(4), /*alignment=*/4);
              return Values{LLVM::SExtOp::create(builder, location, i64, position)};
            });
      })[0];
}

/// That of a row at such a position. What a position modulo the period is, is one of the types whatever the
/// position: a negative one counts back from the period.
Value ReductionProgram::typeAt(function_ref<Value()> position) {
  const alg::RowTypesAttr types = layout.getRowTypes();
  const std::int64_t width = types.getKind() == alg::RowTypeKind::Interval ? types.getWidth() : 1,
                     period = types.getCount() * width;
  if (types.getCount() == 1)
    return instructions.constant(0);
  Value left = LLVM::SRemOp::create(builder, location, position(), wide(period));
  Value negative = compare(LLVM::ICmpPredicate::slt, left, wide(0));
  left = instructions.choose(negative, instructions.addWide(left, wide(period)), left);
  Value number = LLVM::TruncOp::create(builder, location, builder.getI32Type(), left);
  return instructions.divide(number, width);
}

Value ReductionProgram::readTerms(Value place) {
  Value at = LLVM::GEPOp::create(builder, location, terms.getType(), builder.getI32Type(), terms,
                                 ArrayRef<LLVM::GEPArg>{place});
  return LLVM::LoadOp::create(builder, location, builder.getI32Type(), at, /*alignment=*/4);
}

ReductionProgram::Row ReductionProgram::rowAt(const Part &part, std::int64_t number) {
  Row row;
  row.row = instructions.add(part.row, number);
  // A part has a first row.
  row.exists = number == 0 ? constant(true) : compare(LLVM::ICmpPredicate::ult, row.row, rows);
  Type i32 = builder.getI32Type();
  Value zero = instructions.constant(0);
  const Values found = choose(
      row.exists, {i32, i32},
      [&]() -> Values {
        Value type = typeAt([&] { return positionOf(row.row); });
        if (complete) {
          // B(i, j) = {i, j}, and one term where i = j.
          Value own = compare(LLVM::ICmpPredicate::eq, type, part.group);
          return {type, instructions.choose(own, instructions.constant(1), instructions.constant(2))};
        }
        Row known{row.row, row.exists, type, {}};
        // The next entry is where those of the next group begin.
        Part next = part;
        next.group = instructions.add(part.group, 1);
        return {type, firstTerm(known, next)};
      },
      [&]() -> Values { return {zero, zero}; });
  row.type = found[0];
  row.end = found[1];
  return row;
}

/// Where the terms of (type, group) begin.
Value ReductionProgram::firstTerm(const Row &row, const Part &part) {
  if (complete)
    return instructions.constant(0);
  const std::int64_t types = layout.getTerms().types(), groups = layout.getTerms().outputGroups();
  Value entry = instructions.add(instructions.multiply(row.type, groups), part.group);
  // Behind the starts come the words of each term.
  return instructions.add(instructions.multiply(readTerms(entry), wordsOfTerm()), types * groups + 1);
}

Value ReductionProgram::greatestKey() { return wide(-1); }

/// What the term at `at`, the first one or another, names: the bank row in the lower half, the input group in
/// the upper one.
Value ReductionProgram::keyAt(Value at, bool first, const Row &row, const Part &part) {
  Value group, bank_row;
  if (complete) {
    // The diagonal block before the type's own, for all rows alike.
    group = bank_row = first ? part.group : row.type;
  } else {
    group = readTerms(at);
    constexpr std::int64_t all_but_sign = 0x7fffffff;
    bank_row = readTerms(instructions.add(at, 1));
    if (coefficients == Coefficients::Signs)
      bank_row = instructions.bitAnd(bank_row, all_but_sign);
  }
  Value upper = LLVM::ShlOp::create(builder, location, instructions.wide(group), wide(32));
  return LLVM::OrOp::create(builder, location, upper, instructions.wide(bank_row));
}

/// That of the term at `at`, where the row takes part; elsewhere any number.
Value ReductionProgram::coefficientAt(Value at, Value takes_part) {
  if (coefficients == Coefficients::One)
    return {};
  const std::int64_t word = coefficients == Coefficients::General ? 2 : 1;
  // Behind its last term a row looks at the first word, which is there.
  Value bits =
      readTerms(instructions.choose(takes_part, instructions.add(at, word), instructions.constant(0)));
  if (coefficients == Coefficients::Signs) {
    // The sign in front of one.
    constexpr std::int64_t sign = 0x80000000, one = 0x3f800000;
    bits = instructions.bitOr(instructions.bitAnd(bits, sign), one);
  }
  return LLVM::BitcastOp::create(builder, location, builder.getF32Type(), bits);
}

/// One block of the bank after the other: the least that some row's next term names, for all rows whose next
/// term names it. Each row goes through its own terms in their order; rows of one type have those of the
/// first.
ReductionProgram::Values ReductionProgram::addRowTerms(const Part &part, ArrayRef<Row> owned, Values sums) {
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  const ArrayRef<Row> walking = hasOneType() ? owned.take_front() : owned;
  Values initial;
  for (const Row &row : walking) {
    const Values begun = choose(
        row.exists, {i32, i64},
        [&]() -> Values {
          Value at = firstTerm(row, part);
          if (complete) // which has a term for every type and group
            return {at, keyAt(at, /*first=*/true, row, part)};
          const Values key = choose(
              compare(LLVM::ICmpPredicate::ult, at, row.end), i64,
              [&] { return Values{keyAt(at, /*first=*/true, row, part)}; },
              [&] { return Values{greatestKey()}; });
          return {at, key[0]};
        },
        [&]() -> Values { return {instructions.constant(0), greatestKey()}; });
    initial.append(begun);
  }
  initial.append(sums);

  auto walk = scf::WhileOp::create(builder, location, ValueRange(initial).getTypes(), initial);
  const std::size_t cursors = 2 * walking.size();
  OpBuilder::InsertionGuard guard(builder);
  auto block = [&](Region &region) {
    SmallVector<Location> locations(initial.size(), location);
    return builder.createBlock(&region, {}, ValueRange(initial).getTypes(), locations);
  };
  auto leastKey = [&](ValueRange carried) {
    Value key = carried[1];
    for (std::size_t row = 1; row < walking.size(); ++row)
      key = least(key, carried[2 * row + 1]);
    return key;
  };

  Block *before = block(walk.getBefore());
  builder.setInsertionPointToStart(before);
  Value any = compare(LLVM::ICmpPredicate::ne, leastKey(before->getArguments()), greatestKey());
  scf::ConditionOp::create(builder, location, any, before->getArguments());

  Block *body = block(walk.getAfter());
  builder.setInsertionPointToStart(body);
  ValueRange carried = body->getArguments();
  Value key = leastKey(carried);
  SharedTerm term;
  term.bank_row = LLVM::TruncOp::create(builder, location, i32, key);
  term.input_group = LLVM::TruncOp::create(
      builder, location, i32, LLVM::LShrOp::create(builder, location, key, wide(32)).getResult());
  for (std::size_t row = 0; row < walking.size(); ++row) {
    term.takes_part.push_back(compare(LLVM::ICmpPredicate::eq, carried[2 * row + 1], key));
    term.coefficient.push_back(coefficientAt(carried[2 * row], term.takes_part.back()));
  }
  Values next;
  for (std::size_t row = 0; row < walking.size(); ++row) {
    Value at = carried[2 * row];
    const Values moved = choose(
        term.takes_part[row], {i32, i64},
        [&]() -> Values {
          Value behind = instructions.add(at, complete ? 1 : wordsOfTerm());
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
  scf::YieldOp::create(builder, location, next);
  return Values(walk.getResults().drop_front(cursors));
}

} // namespace compiler
