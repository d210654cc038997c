#include "compiler/targets/thread_block/weight_steps.h"

#include "compiler/targets/thread_block/table_words.h"

using namespace mlir;

namespace compiler {

WeightSteps::WeightSteps(const IntegerArithmetic &math, tile::LayoutAttr layout, Coefficients coefficients,
                         Value table, const RowSegments &segments, Value rows, int64_t depth,
                         Value weight_row, Value group, AllRows all_rows)
    : math_(math), layout_(layout), coefficients_(coefficients), segments_(segments), depth_(depth),
      computed_(layout.getTerms().completeGraph().has_value()), weight_row_(weight_row), group_(group),
      table_(table) {
  const int64_t types = layout.getRowTypes().getCount();
  Value first;
  if (computed_) {
    // One term: on the diagonal of all types, else of the type whose group the block's rows are.
    is_all_ = math_.equal(weight_row, group);
    term_count_ = math_.constant(1);
  } else {
    const int64_t columns = layout.getWeightColumns();
    const int64_t blocks = layout.getTerms().weightRows() * columns, lists = wordsOfGroupStarts(layout);
    Value entry = math_.add(math_.add(math_.multiply(weight_row, columns), group), lists);
    auto word = [&](Value position) { return readTerms(math_, table, position); };
    first = word(entry);
    term_count_ = math_.subtract(word(math_.add(entry, 1)), first);
    first_words_ = math_.add(math_.multiply(first, wordsOfTerm(coefficients)), lists + blocks + 1);
    // A block's terms are all of one type each or all of all types. Without terms any word will do.
    Value has_terms = math_.less(0, term_count_);
    is_all_ = math_.equal(word(math_.select(has_terms, first_words_, 0)), types);
  }
  // Of a list the one type of a computed term may have fewer rows than the longest.
  Value of_type = computed_ && RowSegments::areListed(layout.getRowTypes())
                      ? math_.ceilDivide(segments.at(math_, weight_row).rows, depth)
                      : segments.stepsOfType(math_, depth);
  Value of_all = math_.ceilDivide(rows, depth);
  if (computed_ && all_rows == AllRows::TypeAfterType) {
    // An eighth more than rows as they lie take is less than what the cache saves.
    constexpr int64_t worth = 8;
    steps_of_type_ = of_type;
    Value one_by_one = math_.multiply(of_type, types);
    Value most = math_.add(of_all, math_.divide(of_all, worth));
    by_type_ = math_.both(is_all_, math_.atLeast(most, one_by_one));
    as_they_lie_ = math_.both(is_all_, math_.less(most, one_by_one));
    of_all = math_.select(by_type_, one_by_one, of_all);
  }
  steps_of_term_ = math_.select(is_all_, of_all, of_type);
  step_count_ = math_.multiply(term_count_, steps_of_term_);
}

Value WeightSteps::read(Value ordinal, int64_t word) const {
  Value position =
      math_.add(math_.add(first_words_, math_.multiply(ordinal, wordsOfTerm(coefficients_))), word);
  return wordOfTerms(math_, table_, position);
}

void WeightSteps::locate(Step &step, Value is_all, Value type, Value piece) const {
  const alg::RowTypesAttr row_types = layout_.getRowTypes();
  if (RowSegments::areListed(row_types)) {
    // Behind the types of a list are all of its entries.
    step.map = math_.constant(0);
    step.segment = math_.select(is_all, row_types.getCount(), type);
    step.row = math_.multiply(piece, depth_);
    return;
  }
  const RowSegments::RowBlock block = segments_.blockOfStep(math_, type, piece, depth_);
  step.map = math_.select(is_all, RowSegments::maps(row_types), block.segment.map);
  step.segment = math_.select(is_all, 0, block.segment.segment);
  step.row = math_.select(is_all, math_.multiply(piece, depth_), block.row);
}

WeightSteps::Step WeightSteps::at(Value number) const {
  Step step;
  if (computed_) {
    step.ordinal = math_.constant(0);
    step.input_group = weight_row_;
    step.output_group = group_;
    if (!by_type_) {
      locate(step, is_all_, weight_row_, number);
      return step;
    }
    locate(step, as_they_lie_, math_.select(by_type_, math_.divide(number, steps_of_type_), weight_row_),
           math_.select(by_type_, math_.remainder(number, steps_of_type_), number));
    return step;
  }
  step.ordinal = math_.divide(number, steps_of_term_);
  Value piece = math_.remainder(number, steps_of_term_);
  Value type = math_.asIndex(read(step.ordinal, 0));
  step.input_group = math_.asIndex(read(step.ordinal, 1));
  Value output = read(step.ordinal, 2);
  if (coefficients_ == Coefficients::General) {
    step.ends_term = math_.equal(math_.add(piece, 1), steps_of_term_);
  } else {
    // Bit 31 is the sign of the coefficient.
    if (coefficients_ == Coefficients::Signs)
      step.negative = math_.less(output, 0);
    output = math_.bitAnd(output, 0x7fffffff);
  }
  step.output_group = math_.asIndex(output);
  // What is no type has no segment; the first one stands for it.
  locate(step, is_all_, math_.select(is_all_, 0, type), piece);
  return step;
}

StepTerms::Coefficient WeightSteps::coefficientAt(Value ordinal) const {
  assert(coefficients_ == Coefficients::General && !computed_);
  return StepTerms::coefficientAmong(math_, ordinal, term_count_, [&](Value term) { return read(term, 3); });
}

} // namespace compiler
