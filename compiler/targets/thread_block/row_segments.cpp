#include "compiler/targets/thread_block/row_segments.h"

#include "compiler/schedule/work.h"
#include "compiler/targets/thread_block/table_words.h"
#include "dialects/sm/sm.h"
#include "runtime/gpu_kernel_abi.h"

using namespace mlir;

namespace compiler {

static_assert(sm::maps_of_joined_runs == algrt_joined_row_maps);

int64_t RowSegments::maps(alg::RowTypesAttr types) {
  switch (types.getKind()) {
  case alg::RowTypeKind::Interval:
    return joinedRun(types.getRowTypes()) ? algrt_joined_row_maps : algrt_interval_row_maps;
  case alg::RowTypeKind::Explicit:
    return algrt_listed_row_maps;
  case alg::RowTypeKind::Cyclic:
    return algrt_cyclic_row_maps;
  }
  llvm_unreachable("no kind of row types");
}

RowSegments::RowSegments(const IntegerArithmetic &math, alg::RowTypesAttr row_types, Value rows, Value offset,
                         Value maps, Value experts)
    : types_(row_types.getCount()),
      width_(row_types.getKind() == alg::RowTypeKind::Interval ? row_types.getWidth() : 0),
      joins_(joinedRun(row_types.getRowTypes()) != 0), listed_(areListed(row_types) ? maps : Value()),
      has_experts_(experts != nullptr), offset_(offset) {
  if (listed_) {
    segment_count_ = experts ? math.multiply(experts, types_) : math.constant(types_);
    longest_segment_ = readRowList(math, listed_, math.constant(0));
    return;
  }
  if (!width_) {
    // Segment = phase. The first M mod q phases have one row more than the others; without rows a phase is no
    // segment.
    rows_of_phase_ = math.divide(rows, types_);
    longer_phases_ = math.remainder(rows, types_);
    segment_count_ = math.least(rows, types_);
    longest_segment_ = math.ceilDivide(rows, types_);
    return;
  }
  // The first run may have begun before row 0, the last may end after row M - 1.
  Value begun = math.remainder(offset, width_);
  first_type_ = math.divide(offset, width_);
  Value partial = math.less(0, begun);
  first_runs_ = math.count(partial);
  first_rows_ = math.select(partial, math.least(rows, math.subtract(width_, begun)), 0);
  Value left = math.subtract(rows, first_rows_);
  whole_ = math.divide(left, width_);
  tail_rows_ = math.remainder(left, width_);
  Value has_tail = math.less(0, tail_rows_);
  tails_ = math.count(has_tail);
  if (!joins_) { // segment = run
    segment_count_ = math.add(math.add(first_runs_, whole_), tails_);
    longest_segment_ = math.least(rows, width_);
    return;
  }
  // Segment = all whole runs of a type. The last run has the next number of its type: those between are of
  // segments without rows.
  runs_of_type_ = math.divide(whole_, types_);
  longer_types_ = math.remainder(whole_, types_);
  Value present = math.least(whole_, types_);
  last_number_ = math.add(math.add(first_runs_, longer_types_),
                          math.select(math.atLeast(whole_, math.constant(types_)), types_, 0));
  segment_count_ = math.select(has_tail, math.add(last_number_, 1), math.add(first_runs_, present));
  longest_segment_ =
      math.least(rows, math.multiply(math.greatest(math.ceilDivide(whole_, types_), 1), width_));
}

Value RowSegments::stepsOfType(const IntegerArithmetic &math, int64_t depth) const {
  if (joins_)
    return math.add(math.ceilDivide(longest_segment_, depth),
                    math.multiply(math.add(first_runs_, tails_), stepsOfRun(depth)));
  if (width_)
    return math.multiply(math.ceilDivide(segment_count_, types_), stepsOfRun(depth));
  return math.ceilDivide(longest_segment_, depth);
}

Value RowSegments::firstOf(const IntegerArithmetic &math, Value type) const {
  if (listed_)
    return type;
  Value number = math.subtract(type, width_ ? first_type_ : offset_); // both are below `types`
  return math.select(math.less(number, 0), math.add(number, types_), number);
}

RowSegments::Segment RowSegments::at(const IntegerArithmetic &math, Value number) const {
  if (listed_)
    return entries(math, number);
  return joins_ ? joinedRuns(math, number) : width_ ? run(math, number) : phase(math, number);
}

RowSegments::RowBlock RowSegments::blockAt(const IntegerArithmetic &math, Value number, Value row) const {
  Value last = math.add(segment_count_, -1);
  Value is_line = math.atLeast(last, number);
  // A segment that does not exist is the end of the last one: its map and its type can be addressed.
  RowBlock block;
  block.segment = at(math, math.select(is_line, number, last));
  block.row = math.select(is_line, row, block.segment.rows);
  block.exists = math.less(block.row, block.segment.rows);
  return block;
}

RowSegments::RowBlock RowSegments::blockOfStep(const IntegerArithmetic &math, Value type, Value step,
                                               int64_t depth) const {
  Value first = firstOf(math, type);
  if (joins_)
    return blockOfJoinedStep(math, first, step, depth);
  if (!width_)
    return blockAt(math, first, math.multiply(step, depth));
  const int64_t of_run = stepsOfRun(depth);
  return blockAt(math, math.add(first, math.multiply(math.divide(step, of_run), types_)),
                 math.multiply(math.remainder(step, of_run), depth));
}

/// Through the whole runs first, then through the partial run at the beginning and that at the end, which of
/// all types but one are empty.
RowSegments::RowBlock RowSegments::blockOfJoinedStep(const IntegerArithmetic &math, Value first, Value step,
                                                     int64_t depth) const {
  Value of_whole = math.ceilDivide(longest_segment_, depth),
        of_first = math.multiply(first_runs_, stepsOfRun(depth));
  Value behind = math.subtract(step, of_whole), behind_first = math.subtract(behind, of_first);
  Value is_whole = math.less(step, of_whole), is_first = math.less(behind, of_first);
  // A partial first run is number 0, and the whole runs of its type are as many numbers on as there are
  // types.
  Value own_first = math.both(math.less(first, 1), math.less(0, first_runs_)),
        whole = math.select(own_first, types_, first);
  Value number = math.select(is_whole, whole, math.select(is_first, 0, last_number_));
  Value row = math.multiply(math.select(is_whole, step, math.select(is_first, behind, behind_first)), depth);
  // Where there are fewer whole runs than types, that number may be the last run's.
  Value has_whole = math.less(whole, last_number_),
        own_last = math.equal(first, math.remainder(last_number_, types_));
  RowBlock block = blockAt(math, number, row);
  Value is_own = math.select(is_whole, has_whole, math.select(is_first, own_first, own_last));
  block.row = math.select(is_own, block.row, block.segment.rows);
  block.exists = math.both(is_own, block.exists);
  return block;
}

RowSegments::Segment RowSegments::entries(const IntegerArithmetic &math, Value number) const {
  // Behind the greatest number of rows are the starts.
  Value begin = readRowList(math, listed_, math.add(number, 1)),
        end = readRowList(math, listed_, math.add(number, 2));
  Segment segment{math.constant(0), number, math.subtract(end, begin), number};
  if (has_experts_) {
    segment.type = math.remainder(number, types_);
    segment.expert = math.divide(number, types_);
  }
  return segment;
}

RowSegments::Segment RowSegments::phase(const IntegerArithmetic &math, Value number) const {
  if (types_ == 1) // all rows are one segment, of the second map: M mod 1 is 0
    return {math.constant(1), math.constant(0), rows_of_phase_, math.constant(0)};
  Value longer = math.less(number, longer_phases_);
  Segment segment;
  segment.map = math.select(longer, 0, 1);
  segment.segment = math.select(longer, number, math.subtract(number, longer_phases_));
  segment.rows = math.add(rows_of_phase_, math.count(longer));
  // Phase and offset are both below the period.
  Value type = math.add(number, offset_), period = math.constant(types_);
  segment.type = math.select(math.less(type, period), type, math.subtract(type, period));
  return segment;
}

RowSegments::Segment RowSegments::run(const IntegerArithmetic &math, Value number) const {
  Value zero = math.constant(0);
  Value first = math.less(number, first_runs_);
  Value after_first = math.subtract(number, first_runs_); // -1 for the first run
  Value last = math.atLeast(after_first, whole_);
  Segment segment;
  segment.map = math.select(first, zero, math.select(last, 2, 1));
  segment.segment = math.select(first, zero, math.select(last, zero, after_first));
  segment.rows = math.select(first, first_rows_, math.select(last, tail_rows_, width_));
  segment.type = math.remainder(math.add(first_type_, number), types_);
  return segment;
}

RowSegments::Segment RowSegments::joinedRuns(const IntegerArithmetic &math, Value number) const {
  Value zero = math.constant(0);
  Value first = math.less(number, first_runs_);
  Value after_first = math.subtract(number, first_runs_); // -1 for the first run
  Value last = math.atLeast(number, last_number_);
  Value longer = math.less(after_first, longer_types_);
  Value whole_rows = math.multiply(math.add(runs_of_type_, math.count(longer)), width_);
  Segment segment;
  segment.map = math.select(first, zero, math.select(last, 3, math.select(longer, 1, 2)));
  segment.segment = math.select(
      first, zero,
      math.select(last, zero, math.select(longer, after_first, math.subtract(after_first, longer_types_))));
  segment.rows = math.select(
      first, first_rows_,
      math.select(last, tail_rows_, math.select(math.less(after_first, types_), whole_rows, zero)));
  segment.type = math.remainder(math.add(first_type_, number), types_);
  return segment;
}

} // namespace compiler
