#include "compiler/targets/thread_block/step_terms.h"

using namespace mlir;

namespace compiler {

StepTerms::StepTerms(OpBuilder &builder, Location location, tile::LayoutAttr layout, Value table, Value type,
                     Value group)
    : builder(builder), location(location), math(builder, location),
      computed(layout.getTerms().completeGraph().has_value()), table(table) {
  if (computed) {
    // B(i, j) = {i, j}, and one term where i = j.
    lower = math.least(type, group);
    upper = math.greatest(type, group);
    term_count = math.select(math.equal(type, group), math.constant(1), math.constant(2));
    return;
  }
  const std::int64_t types = layout.getTerms().types(), groups = layout.getTerms().outputGroups();
  Value entry = math.add(math.multiply(type, groups), group);
  auto start = [&](Value entry) {
    return math.fromWord(sm::ReadTermsOp::create(builder, location, builder.getI32Type(), table, entry));
  };
  Value first = start(entry);
  term_count = math.subtract(start(math.add(entry, 1)), first);
  // Behind the starts come two words for each term.
  first_words = math.add(math.multiply(first, 2), types * groups + 1);
}

StepTerms::Term StepTerms::at(Value ordinal, bool with_sign) const {
  if (computed) {
    Value group = math.select(math.equal(ordinal, math.constant(0)), lower, upper);
    return {group, group, {}};
  }
  Value words = math.add(first_words, math.multiply(ordinal, 2));
  auto read = [&](Value position) -> Value {
    return sm::ReadTermsOp::create(builder, location, builder.getI32Type(), table, position);
  };
  Value group = math.fromWord(read(words)), bank = read(math.add(words, 1));
  auto word = [&](std::int32_t value) -> Value {
    return arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(value));
  };
  // Bit 31 is the sign of the coefficient.
  Value row = arith::AndIOp::create(builder, location, bank, word(0x7fffffff));
  Value negative;
  if (with_sign)
    negative = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, bank, word(0));
  return {group, math.fromWord(row), negative};
}

} // namespace compiler
