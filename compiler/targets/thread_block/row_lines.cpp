#include "compiler/targets/thread_block/row_lines.h"

#include "runtime/gpu_kernel_abi.h"

using namespace mlir;

namespace compiler {

std::int64_t RowLines::maps(alg::RowTypesAttr types) {
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

RowLines::RowLines(const IndexMath &math, alg::RowTypesAttr row_types, Value rows, Value offset, Value maps)
    : types(row_types.getCount()),
      width(row_types.getKind() == alg::RowTypeKind::Interval ? row_types.getWidth() : 0),
      listed(areListed(row_types) ? maps : Value()), offset(offset) {
  if (listed) {
    line_count = math.constant(types);
    longest_line = math.readRowList(listed, math.constant(0));
    return;
  }
  if (!width) {
    // Line = phase. The first M mod q phases have one row more than the others; without rows a phase is no
    // line.
    rows_of_phase = math.divide(rows, types);
    longer_phases = math.remainder(rows, types);
    line_count = math.least(rows, math.constant(types));
    longest_line = math.ceilDivide(rows, types);
    return;
  }
  // Line = run. The first run may have begun before row 0, the last may end after row M - 1.
  Value begun = math.remainder(offset, width);
  first_type = math.divide(offset, width);
  Value partial = math.less(math.constant(0), begun);
  first_runs = math.count(partial);
  first_rows =
      math.select(partial, math.least(rows, math.subtract(math.constant(width), begun)), math.constant(0));
  Value left = math.subtract(rows, first_rows);
  whole = math.divide(left, width);
  tail_rows = math.remainder(left, width);
  Value tails = math.count(math.less(math.constant(0), tail_rows));
  line_count = math.add(math.add(first_runs, whole), tails);
  longest_line = math.least(rows, math.constant(width));
}

Value RowLines::firstOf(const IndexMath &math, Value type) const {
  if (listed)
    return type;
  Value number = math.subtract(type, width ? first_type : offset); // both are below `types`
  return math.select(math.less(number, math.constant(0)), math.add(number, types), number);
}

RowLines::Line RowLines::at(const IndexMath &math, Value number) const {
  if (listed)
    return entries(math, number);
  return width ? run(math, number) : phase(math, number);
}

RowLines::RowBlock RowLines::blockAt(const IndexMath &math, Value number, Value row) const {
  Value last = math.add(line_count, -1);
  Value is_line = math.atLeast(last, number);
  // A line that does not exist is the end of the last one: its map and its type can be addressed.
  RowBlock block;
  block.line = at(math, math.select(is_line, number, last));
  block.row = math.select(is_line, row, block.line.rows);
  block.exists = math.less(block.row, block.line.rows);
  return block;
}

RowLines::Line RowLines::entries(const IndexMath &math, Value number) const {
  // Behind the greatest number of rows are the starts.
  Value begin = math.readRowList(listed, math.add(number, 1)),
        end = math.readRowList(listed, math.add(number, 2));
  return {math.constant(0), number, math.subtract(end, begin), number};
}

RowLines::Line RowLines::phase(const IndexMath &math, Value number) const {
  if (types == 1) // all rows are one line, of the second map: M mod 1 is 0
    return {math.constant(1), math.constant(0), rows_of_phase, math.constant(0)};
  Value longer = math.less(number, longer_phases);
  Line line;
  line.map = math.select(longer, math.constant(0), math.constant(1));
  line.line = math.select(longer, number, math.subtract(number, longer_phases));
  line.rows = math.add(rows_of_phase, math.count(longer));
  // Phase and offset are both below the period.
  Value type = math.add(number, offset), period = math.constant(types);
  line.type = math.select(math.less(type, period), type, math.subtract(type, period));
  return line;
}

RowLines::Line RowLines::run(const IndexMath &math, Value number) const {
  Value zero = math.constant(0);
  Value first = math.less(number, first_runs);
  Value after_first = math.subtract(number, first_runs); // -1 for the first run
  Value last = math.atLeast(after_first, whole);
  Line line;
  line.map = math.select(first, zero, math.select(last, math.constant(2), math.constant(1)));
  line.line = math.select(first, zero, math.select(last, zero, after_first));
  line.rows = math.select(first, first_rows, math.select(last, tail_rows, math.constant(width)));
  line.type = math.remainder(math.add(first_type, number), types);
  return line;
}

} // namespace compiler
