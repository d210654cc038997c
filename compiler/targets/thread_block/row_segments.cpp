#include "compiler/targets/thread_block/row_segments.h"

#include "compiler/targets/thread_block/table_words.h"
#include "runtime/gpu_kernel_abi.h"

using namespace mlir;

namespace compiler {

int64_t RowSegments::maps(alg::RowTypesAttr types) {
  switch (types.getKind()) {
  case alg::RowTypeKind::Interval:
    return algrt_interval_row_maps;
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
      listed_(areListed(row_types) ? maps : Value()), has_experts_(experts != nullptr), offset_(offset) {
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
  // Segment = run. The first run may have begun before row 0, the last may end after row M - 1.
  Value begun = math.remainder(offset, width_);
  first_type_ = math.divide(offset, width_);
  Value partial = math.less(0, begun);
  first_runs_ = math.count(partial);
  first_rows_ = math.select(partial, math.least(rows, math.subtract(width_, begun)), 0);
  Value left = math.subtract(rows, first_rows_);
  whole_ = math.divide(left, width_);
  tail_rows_ = math.remainder(left, width_);
  Value tails = math.count(math.less(0, tail_rows_));
  segment_count_ = math.add(math.add(first_runs_, whole_), tails);
  longest_segment_ = math.least(rows, width_);
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
  return width_ ? run(math, number) : phase(math, number);
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

} // namespace compiler
