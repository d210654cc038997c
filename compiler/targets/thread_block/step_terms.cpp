#include "compiler/targets/thread_block/step_terms.h"

using namespace mlir;

namespace compiler {

int64_t wordsOfGroupStarts(tile::LayoutAttr layout) {
  if (!layout.hasUnequalGroups())
    return 0;
  return layout.getIn().getCount() + layout.getOut().getCount() + layout.getWeights().getCount() + 3;
}

StepTerms::StepTerms(OpBuilder &builder, Location location, tile::LayoutAttr layout,
                     Coefficients coefficients, Value table, Value type, Value group, bool diagonal_first)
    : builder_(builder), location_(location), math_(builder, location), coefficients_(coefficients),
      pieces_(layout.hasUnequalGroups()), computed_(!pieces_ && layout.getTerms().completeGraph()),
      table_(table) {
  if (computed_) {
    if (layout.isTransposed()) {
      // All groups where i = j, and one elsewhere: group `lower` and those that follow it.
      Value own = math_.equal(type, group);
      lower_ = math_.select(own, math_.constant(0), group);
      term_count_ = math_.select(own, math_.constant(layout.getIn().getCount()), math_.constant(1));
      return;
    }
    // B(i, j) = {i, j}, and one term where i = j.
    lower_ = diagonal_first ? group : math_.least(type, group);
    upper_ = diagonal_first ? type : math_.greatest(type, group);
    term_count_ = math_.select(math_.equal(type, group), math_.constant(1), math_.constant(2));
    return;
  }
  const int64_t types = layout.getTerms().types(), groups = layout.getTerms().outputGroups();
  const int64_t lists = wordsOfGroupStarts(layout);
  Value entry = math_.add(math_.add(math_.multiply(type, groups), group), lists);
  Value first = math_.readTerms(table, entry);
  term_count_ = math_.subtract(math_.readTerms(table, math_.add(entry, 1)), first);
  // Behind the starts come the words of each term.
  first_words_ = math_.add(math_.multiply(first, wordsOfTerm()), lists + types * groups + 1);
}

Value StepTerms::read(Value ordinal, int64_t word) const {
  Value position = math_.add(math_.add(first_words_, math_.multiply(ordinal, wordsOfTerm())), word);
  return sm::ReadTermsOp::create(builder_, location_, builder_.getI32Type(), table_, position);
}

StepTerms::Term StepTerms::at(Value ordinal) const {
  if (computed_) {
    if (!upper_) {
      Value group = math_.add(lower_, ordinal);
      return {group, group, {}, {}};
    }
    Value group = math_.select(math_.equal(ordinal, math_.constant(0)), lower_, upper_);
    return {group, group, {}, {}};
  }
  Value group = math_.fromWord(read(ordinal, 0)), weights = read(ordinal, weightWord());
  Value column = pieces_ ? math_.fromWord(read(ordinal, 1)) : Value();
  if (coefficients_ == Coefficients::General)
    return {group, math_.fromWord(weights), {}, column};
  auto word = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(builder_, location_, builder_.getI32IntegerAttr(value));
  };
  // Bit 31 is the sign of the coefficient.
  Value row = arith::AndIOp::create(builder_, location_, weights, word(0x7fffffff));
  Value negative;
  if (coefficients_ == Coefficients::Signs)
    negative = arith::CmpIOp::create(builder_, location_, arith::CmpIPredicate::slt, weights, word(0));
  return {group, math_.fromWord(row), negative, column};
}

StepTerms::Coefficient StepTerms::coefficientAt(Value ordinal) const {
  assert(coefficients_ == Coefficients::General && !computed_);
  return coefficientAmong(math_, builder_, location_, ordinal, term_count_,
                          [&](Value term) { return read(term, weightWord() + 1); });
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
