#include "compiler/targets/thread_block/bank_steps.h"

using namespace mlir;

namespace compiler {

using Coefficients = StepTerms::Coefficients;

/// Steps through a run of an interval, 0 for cyclic types.
static std::int64_t stepsOfRun(alg::RowTypesAttr types, std::int64_t depth) {
  return types.getKind() == alg::RowTypeKind::Interval ? (types.getWidth() + depth - 1) / depth : 0;
}

Value BankSteps::stepsOfType(const IndexMath &math, alg::RowTypesAttr types, const RowLines &lines,
                             std::int64_t depth) {
  if (const std::int64_t run = stepsOfRun(types, depth))
    return math.multiply(lines.mostOfType(math), run);
  return math.ceilDivide(lines.longest(), depth);
}

BankSteps::BankSteps(OpBuilder &builder, Location location, tile::LayoutAttr layout,
                     Coefficients coefficients, Value table, const RowLines &lines, Value rows,
                     std::int64_t depth, Value bank_row, Value group, AllRows all_rows)
    : builder(builder), location(location), math(builder, location), layout(layout),
      coefficients(coefficients), lines(lines), depth(depth),
      computed(layout.getTerms().completeGraph().has_value()), bank_row(bank_row), group(group),
      table(table) {
  const std::int64_t types = layout.getRowTypes().getCount();
  Value first;
  if (computed) {
    // One term: on the diagonal of all types, else of the type whose group the block's rows are.
    is_all = math.equal(bank_row, group);
    term_count = math.constant(1);
  } else {
    const std::int64_t columns = layout.getBankColumns();
    const std::int64_t blocks = layout.getTerms().bankRows() * columns, lists = wordsOfGroupStarts(layout);
    Value entry = math.add(math.add(math.multiply(bank_row, columns), group), lists);
    auto word = [&](Value position) { return math.readTerms(table, position); };
    first = word(entry);
    term_count = math.subtract(word(math.add(entry, 1)), first);
    first_words = math.add(math.multiply(first, wordsOfTerm(coefficients)), lists + blocks + 1);
    // A block's terms are all of one type each or all of all types. Without terms any word will do.
    Value has_terms = math.less(math.constant(0), term_count);
    is_all = math.equal(word(math.select(has_terms, first_words, math.constant(0))), math.constant(types));
  }
  // Of a list the one type of a computed term may have fewer rows than the longest.
  Value of_type = computed && RowLines::areListed(layout.getRowTypes())
                      ? math.ceilDivide(lines.at(math, bank_row).rows, depth)
                      : stepsOfType(math, layout.getRowTypes(), lines, depth);
  Value of_all = math.ceilDivide(rows, depth);
  if (computed && all_rows == AllRows::TypeAfterType) {
    // An eighth more than rows as they lie take is less than what the cache saves.
    constexpr std::int64_t worth = 8;
    steps_of_type = of_type;
    Value one_by_one = math.multiply(of_type, types);
    Value most = math.add(of_all, math.divide(of_all, worth));
    by_type = math.both(is_all, math.atLeast(most, one_by_one));
    as_they_lie = math.both(is_all, math.less(most, one_by_one));
    of_all = math.select(by_type, one_by_one, of_all);
  }
  steps_of_term = math.select(is_all, of_all, of_type);
  step_count = math.multiply(term_count, steps_of_term);
}

Value BankSteps::read(Value ordinal, std::int64_t word) const {
  Value position = math.add(math.add(first_words, math.multiply(ordinal, wordsOfTerm(coefficients))), word);
  return sm::ReadTermsOp::create(builder, location, builder.getI32Type(), table, position);
}

void BankSteps::locate(Step &step, Value is_all, Value type, Value piece) const {
  const alg::RowTypesAttr row_types = layout.getRowTypes();
  if (RowLines::areListed(row_types)) {
    // Behind the types of a list are all of its entries.
    step.map = math.constant(0);
    step.line = math.select(is_all, math.constant(row_types.getCount()), type);
    step.row = math.multiply(piece, depth);
    return;
  }
  Value number = lines.firstOf(math, type), row = math.multiply(piece, depth);
  if (const std::int64_t run = stepsOfRun(row_types, depth)) {
    number = math.add(number, math.multiply(math.divide(piece, run), row_types.getCount()));
    row = math.multiply(math.remainder(piece, run), depth);
  }
  const RowLines::RowBlock block = lines.blockAt(math, number, row);
  step.map = math.select(is_all, math.constant(RowLines::maps(row_types)), block.line.map);
  step.line = math.select(is_all, math.constant(0), block.line.line);
  step.row = math.select(is_all, math.multiply(piece, depth), block.row);
}

BankSteps::Step BankSteps::at(Value number) const {
  Step step;
  if (computed) {
    step.ordinal = math.constant(0);
    step.input_group = bank_row;
    step.output_group = group;
    if (!by_type) {
      locate(step, is_all, bank_row, number);
      return step;
    }
    locate(step, as_they_lie, math.select(by_type, math.divide(number, steps_of_type), bank_row),
           math.select(by_type, math.remainder(number, steps_of_type), number));
    return step;
  }
  step.ordinal = math.divide(number, steps_of_term);
  Value piece = math.remainder(number, steps_of_term);
  Value type = math.fromWord(read(step.ordinal, 0));
  step.input_group = math.fromWord(read(step.ordinal, 1));
  Value output = read(step.ordinal, 2);
  auto word = [&](std::int32_t value) -> Value {
    return arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(value));
  };
  if (coefficients == Coefficients::Numbers) {
    step.ends_term = math.equal(math.add(piece, 1), steps_of_term);
  } else {
    // Bit 31 is the sign of the coefficient.
    if (coefficients == Coefficients::Signs)
      step.negative = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, output, word(0));
    output = arith::AndIOp::create(builder, location, output, word(0x7fffffff));
  }
  step.output_group = math.fromWord(output);
  // What is no type has no line; the first one stands for it.
  locate(step, is_all, math.select(is_all, math.constant(0), type), piece);
  return step;
}

StepTerms::Coefficient BankSteps::coefficientAt(Value ordinal) const {
  assert(coefficients == Coefficients::Numbers && !computed);
  return StepTerms::coefficientAmong(math, builder, location, ordinal, term_count,
                                     [&](Value term) { return read(term, 3); });
}

} // namespace compiler
