#include "compiler/targets/thread_block/row_walk.h"

using namespace mlir;

namespace compiler {

RowWalk::RowWalk(OpBuilder &builder, Location location, tile::LayoutAttr layout, tile::ReducedAttr schedule,
                 const BatchRows &rows, Thread thread, bool own_groups)
    : builder_(builder), location_(location), math_(builder, location), flow_(builder, location),
      layout_(layout), schedule_(schedule), rows_(rows), thread_(thread),
      coefficients_(coefficientsOf(layout.getTerms())), own_groups_(own_groups) {}

Value RowWalk::wide(int64_t value) const {
  return arith::ConstantIntOp::create(builder_, location_, builder_.getI64Type(), value);
}

Value RowWalk::wide(Value index) const {
  return arith::IndexCastUIOp::create(builder_, location_, builder_.getI64Type(), index);
}

StepTerms RowWalk::termsOf(Value type, Value group) const {
  return StepTerms(math_, layout_, coefficients_, thread_.table, type, group, /*diagonal_first=*/true);
}

RowWalk::Values RowWalk::zeroRows() const {
  auto type = sm::RowSumsType::get(builder_.getContext(), schedule_.getColumns(), schedule_.getSlices(),
                                   schedule_.getVector());
  Values rows;
  for (int64_t row = 0; row < schedule_.getRows(); ++row)
    rows.push_back(sm::ZeroRowOp::create(builder_, location_, type));
  return rows;
}

sm::AccumulatorType RowWalk::sumsOfThreads(int64_t blocks, int64_t rows) const {
  return sm::AccumulatorType::get(builder_.getContext(), rows ? rows : schedule_.getRows(),
                                  schedule_.getColumns(), 0, 0, /*transposed=*/false, schedule_.getThreads(),
                                  blocks);
}

/// A row that does not exist has type 0, of which there are terms to look at, and goes through none.
RowWalk::Walker RowWalk::walker(const BatchRows::Row &row, Value group, Value goes, bool walks) const {
  Walker walker{row, group, {}, {}};
  if (!walks)
    return walker;
  walker.terms.emplace(termsOf(row.type, group));
  walker.term_count = math_.select(goes ? goes : row.exists, walker.terms->count(), math_.constant(0));
  return walker;
}

// A term is named by a key, i64: the weight row in the lower half, the input group in the upper one; where
// rows have output groups of their own, the input group above the output group above the weight row.
static constexpr int64_t half = 32, group_bits = 20;

/// What the term of a number names, by its key; and its coefficient, where those are not all 1.
RowWalk::Values RowWalk::termAt(const Walker &walker, Value ordinal) const {
  const StepTerms::Term term = walker.terms->at(ordinal);
  auto shifted = [&](Value index, int64_t bits) -> Value {
    return arith::ShLIOp::create(builder_, location_, wide(index), wide(bits));
  };
  Value key;
  if (own_groups_) {
    key = arith::OrIOp::create(builder_, location_, shifted(term.input_group, 2 * group_bits),
                               shifted(walker.group, group_bits));
    key = arith::OrIOp::create(builder_, location_, key, wide(term.weight_row));
  } else {
    key = arith::OrIOp::create(builder_, location_, shifted(term.input_group, half), wide(term.weight_row));
  }
  Values found = {key};
  auto number = [&](float value) -> Value {
    return arith::ConstantOp::create(builder_, location_, builder_.getF32FloatAttr(value));
  };
  if (coefficients_ == Coefficients::Signs)
    found.push_back(math_.select(term.negative, number(-1), number(1)));
  else if (coefficients_ == Coefficients::General)
    found.push_back(walker.terms->coefficientAt(ordinal).number);
  return found;
}

/// The same behind the last term: greater than what any term names, and any number.
RowWalk::Values RowWalk::noTerm() const {
  Values none = {wide(-1)};
  if (coefficients_ != Coefficients::One)
    none.push_back(arith::ConstantOp::create(builder_, location_, builder_.getF32FloatAttr(0)));
  return none;
}

RowWalk::SharedTerm RowWalk::sharedTerm(Value key) const {
  auto index_of = [&](Value bits) -> Value {
    Value word = arith::TruncIOp::create(builder_, location_, builder_.getI32Type(), bits);
    return arith::IndexCastUIOp::create(builder_, location_, builder_.getIndexType(), word);
  };
  auto above = [&](int64_t bits) -> Value {
    return arith::ShRUIOp::create(builder_, location_, key, wide(bits));
  };
  SharedTerm term;
  if (own_groups_) {
    auto field = [&](Value bits) {
      return index_of(arith::AndIOp::create(builder_, location_, bits, wide((int64_t{1} << group_bits) - 1)));
    };
    term.weight_row = field(key);
    term.group = field(above(group_bits));
    term.input_group = field(above(2 * group_bits));
  } else {
    term.weight_row = index_of(key);
    term.input_group = index_of(above(half));
  }
  return term;
}

/// One block after the other, of all weight matrices: the least that some row's next term names, for all rows
/// whose next term names it. Each row goes through its own terms in their order; rows of one type have those
/// of the first.
RowWalk::Values RowWalk::addTerms(ValueRange weights, ArrayRef<Walker> walkers, Value column, Depth depth,
                                  ReaderOf reader, Values sums) const {
  const ArrayRef<Walker> walking = rows_.hasOneType() ? walkers.take_front() : walkers;

  // Of each row that goes through terms: the number of its next one, and what that names.
  const SmallVector<Type> named(ValueRange(noTerm()).getTypes());
  auto next_term = [&](const Walker &walker, Value ordinal) {
    return flow_.choose(
        math_.less(ordinal, walker.term_count), named, [&] { return termAt(walker, ordinal); },
        [&] { return noTerm(); });
  };
  const size_t width = 1 + named.size();
  Values initial;
  for (const Walker &walker : walking) {
    Value first = math_.constant(0);
    initial.push_back(first);
    initial.append(next_term(walker, first));
  }
  initial.append(sums);

  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) -> Value {
    return arith::CmpIOp::create(builder_, location_, predicate, a, b);
  };
  auto least_key = [&](ValueRange carried) {
    Value key = carried[1];
    for (size_t row = 1; row < walking.size(); ++row) {
      Value other = carried[row * width + 1];
      key = math_.select(compare(arith::CmpIPredicate::ult, key, other), key, other);
    }
    return key;
  };
  const size_t cursors = width * walking.size();
  const Values left = flow_.loopWhile(
      initial,
      [&](ValueRange carried) { return compare(arith::CmpIPredicate::ne, least_key(carried), wide(-1)); },
      [&](ValueRange carried) {
        Value key = least_key(carried);
        SharedTerm term = sharedTerm(key);
        if (!own_groups_)
          term.group = walkers.front().group;
        Values next;
        for (auto [number, walker] : llvm::enumerate(walking)) {
          const ValueRange cursor = carried.slice(number * width, width);
          term.takes_part.push_back(compare(arith::CmpIPredicate::eq, cursor[1], key));
          term.coefficients.push_back(coefficients_ == Coefficients::One ? Value() : cursor[2]);
          term.ordinals.push_back(cursor[0]);
          next.append(flow_.choose(
              term.takes_part.back(), cursor.getTypes(),
              [&, &walker = walker] {
                Values moved = {math_.add(cursor[0], 1)};
                moved.append(next_term(walker, moved[0]));
                return moved;
              },
              [&] { return Values(cursor); }));
        }
        for (Values *of_rows : {&term.takes_part, &term.coefficients, &term.ordinals})
          of_rows->resize(walkers.size(), of_rows->front());
        next.append(
            addProducts(weights, column, walkers, term, depth, reader, Values(carried.drop_front(cursors))));
        return next;
      });
  return Values(ArrayRef(left).drop_front(cursors));
}

} // namespace compiler
