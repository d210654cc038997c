#include "compiler/targets/thread_block/step_terms.h"

using namespace mlir;

namespace compiler {

std::int64_t wordsOfGroupStarts(tile::LayoutAttr layout) {
  if (!layout.hasUnequalGroups())
    return 0;
  return layout.getIn().getCount() + layout.getOut().getCount() + layout.getBank().getCount() + 3;
}

StepTerms::StepTerms(OpBuilder &builder, Location location, tile::LayoutAttr layout,
                     Coefficients coefficients, Value table, Value type, Value group)
    : builder(builder), location(location), math(builder, location), coefficients(coefficients),
      pieces(layout.hasUnequalGroups()), computed(!pieces && layout.getTerms().completeGraph()),
      table(table) {
  if (computed) {
    if (layout.isTransposed()) {
      // All groups where i = j, and one elsewhere: group `lower` and those that follow it.
      Value own = math.equal(type, group);
      lower = math.select(own, math.constant(0), group);
      term_count = math.select(own, math.constant(layout.getIn().getCount()), math.constant(1));
      return;
    }
    // B(i, j) = {i, j}, and one term where i = j.
    lower = math.least(type, group);
    upper = math.greatest(type, group);
    term_count = math.select(math.equal(type, group), math.constant(1), math.constant(2));
    return;
  }
  const std::int64_t types = layout.getTerms().types(), groups = layout.getTerms().outputGroups();
  const std::int64_t lists = wordsOfGroupStarts(layout);
  Value entry = math.add(math.add(math.multiply(type, groups), group), lists);
  Value first = math.readTerms(table, entry);
  term_count = math.subtract(math.readTerms(table, math.add(entry, 1)), first);
  // Behind the starts come the words of each term.
  first_words = math.add(math.multiply(first, wordsOfTerm()), lists + types * groups + 1);
}

Value StepTerms::read(Value ordinal, std::int64_t word) const {
  Value position = math.add(math.add(first_words, math.multiply(ordinal, wordsOfTerm())), word);
  return sm::ReadTermsOp::create(builder, location, builder.getI32Type(), table, position);
}

StepTerms::Term StepTerms::at(Value ordinal) const {
  if (computed) {
    if (!upper) {
      Value group = math.add(lower, ordinal);
      return {group, group, {}, {}};
    }
    Value group = math.select(math.equal(ordinal, math.constant(0)), lower, upper);
    return {group, group, {}, {}};
  }
  Value group = math.fromWord(read(ordinal, 0)), bank = read(ordinal, bankWord());
  Value column = pieces ? math.fromWord(read(ordinal, 1)) : Value();
  if (coefficients == Coefficients::Numbers)
    return {group, math.fromWord(bank), {}, column};
  auto word = [&](std::int32_t value) -> Value {
    return arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(value));
  };
  // Bit 31 is the sign of the coefficient.
  Value row = arith::AndIOp::create(builder, location, bank, word(0x7fffffff));
  Value negative;
  if (coefficients == Coefficients::Signs)
    negative = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, bank, word(0));
  return {group, math.fromWord(row), negative, column};
}

StepTerms::Coefficient StepTerms::coefficientAt(Value ordinal) const {
  assert(coefficients == Coefficients::Numbers && !computed);
  return coefficientAmong(math, builder, location, ordinal, term_count,
                          [&](Value term) { return read(term, bankWord() + 1); });
}

StepTerms::Coefficient StepTerms::coefficientAmong(const IndexMath &math, OpBuilder &builder,
                                                   Location location, Value ordinal, Value count,
                                                   function_ref<Value(Value)> read) {
  Value bits = read(ordinal);
  // The last term is compared with itself: behind the table's end there is nothing to read.
  Value next = math.add(ordinal, 1);
  Value last = math.equal(next, count);
  Value next_bits = read(math.select(last, ordinal, next));
  Value differs =
      arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, bits, next_bits).getResult();
  return {arith::BitcastOp::create(builder, location, builder.getF32Type(), bits),
          arith::OrIOp::create(builder, location, last, differs)};
}

} // namespace compiler
