#include "compiler/targets/thread_block/step_terms.h"

#include "compiler/targets/thread_block/table_words.h"

using namespace mlir;

namespace compiler {

int64_t wordsOfGroupStarts(tile::LayoutAttr layout) {
  if (!layout.hasUnequalGroups())
    return 0;
  return layout.getIn().getCount() + layout.getOut().getCount() + layout.getWeights().getCount() + 3;
}

StepTerms::StepTerms(const IntegerArithmetic &math, tile::LayoutAttr layout, Coefficients coefficients,
                     Value table, Value type, Value group, bool diagonal_first)
    : math_(math), coefficients_(coefficients), pieces_(layout.hasUnequalGroups()),
      computed_(!pieces_ && layout.getTerms().completeGraph()), table_(table) {
  if (computed_) {
    if (layout.isTransposed()) {
      // All groups where i = j, and one elsewhere: group `lower` and those that follow it.
      Value own = math_.equal(type, group);
      lower_ = math_.select(own, 0, group);
      term_count_ = math_.select(own, layout.getIn().getCount(), 1);
      return;
    }
    // B(i, j) = {i, j}, and one term where i = j.
    lower_ = diagonal_first ? group : math_.least(type, group);
    upper_ = diagonal_first ? type : math_.greatest(type, group);
    term_count_ = math_.select(math_.equal(type, group), 1, 2);
    return;
  }
  const int64_t types = layout.getTerms().types(), groups = layout.getTerms().outputGroups();
  const int64_t lists = wordsOfGroupStarts(layout);
  Value entry = math_.add(math_.add(math_.multiply(type, groups), group), lists);
  Value first = readTerms(math_, table, entry);
  term_count_ = math_.subtract(readTerms(math_, table, math_.add(entry, 1)), first);
  // Behind the starts come the words of each term.
  first_words_ = math_.add(math_.multiply(first, wordsOfTerm()), lists + types * groups + 1);
}

Value StepTerms::read(Value ordinal, int64_t word) const {
  Value position = math_.add(math_.add(first_words_, math_.multiply(ordinal, wordsOfTerm())), word);
  return wordOfTerms(math_, table_, position);
}

StepTerms::Term StepTerms::at(Value ordinal) const {
  if (computed_) {
    if (!upper_) {
      Value group = math_.add(lower_, ordinal);
      return {group, group, {}, {}};
    }
    Value group = math_.select(math_.equal(ordinal, 0), lower_, upper_);
    return {group, group, {}, {}};
  }
  Value group = math_.asIndex(read(ordinal, 0)), weights = read(ordinal, weightWord());
  Value column = pieces_ ? math_.asIndex(read(ordinal, 1)) : Value();
  if (coefficients_ == Coefficients::General)
    return {group, math_.asIndex(weights), {}, column};
  // Bit 31 is the sign of the coefficient.
  Value row = math_.bitAnd(weights, 0x7fffffff);
  Value negative = coefficients_ == Coefficients::Signs ? math_.less(weights, 0) : Value();
  return {group, math_.asIndex(row), negative, column};
}

StepTerms::Coefficient StepTerms::coefficientAt(Value ordinal) const {
  assert(coefficients_ == Coefficients::General && !computed_);
  return coefficientAmong(math_, ordinal, term_count_,
                          [&](Value term) { return read(term, weightWord() + 1); });
}

StepTerms::Coefficient StepTerms::coefficientAmong(const IntegerArithmetic &math, Value ordinal, Value count,
                                                   function_ref<Value(Value)> read) {
  Value bits = read(ordinal);
  // The last term is compared with itself: behind the table's end there is nothing to read.
  Value next = math.add(ordinal, 1);
  Value last = math.equal(next, count);
  Value next_bits = read(math.select(last, ordinal, next));
  Value differs = math.differ(bits, next_bits);
  return {math.make<arith::BitcastOp>(Float32Type::get(bits.getContext()), bits), math.either(last, differs)};
}

} // namespace compiler
