// The lines of X and Y: the runs of rows of one type that a map can address. See runtime/gpu_kernel_abi.h.
#ifndef ALGCTL_COMPILER_TARGETS_THREAD_BLOCK_ROW_LINES_H
#define ALGCTL_COMPILER_TARGETS_THREAD_BLOCK_ROW_LINES_H

#include "compiler/targets/thread_block/index_math.h"
#include "dialects/alg/alg.h"

namespace compiler {

/// Numbers the lines 0, 1, ... and says where each is. Of explicit row types a line is a type, with the rows
/// that the row list has of it.
class RowLines {
public:
  using Value = mlir::Value;
  /// Writes what all lines share. `rows` is M, `offset` the position of row 0 modulo the period; `listed` are
  /// the maps of X where row types are explicit.
  RowLines(const IndexMath &math, alg::RowTypesAttr types, Value rows, Value offset, Value listed);

  static bool areListed(alg::RowTypesAttr types) { return types.getKind() == alg::RowTypeKind::Explicit; }

  /// How many tensor maps the lines of such types are spread over.
  static std::int64_t maps(alg::RowTypesAttr types);

  Value count() const { return line_count; }
  /// No line has more rows.
  Value longest() const { return longest_line; }

  /// The first line of a type; every further one is as many lines on as there are types. Of types without
  /// rows it is no line.
  Value firstOf(const IndexMath &math, Value type) const;
  /// No type has more lines.
  Value mostOfType(const IndexMath &math) const { return math.ceilDivide(line_count, types); }

  struct Line {
    Value map;  ///< which of the maps it belongs to
    Value line; ///< its coordinate in that map
    Value rows;
    Value type; ///< of all its rows
  };
  Line at(const IndexMath &math, Value number) const;

  /// A block of rows of a line.
  struct RowBlock {
    Line line;
    Value row;    ///< its first row
    Value exists; ///< i1: the line has such a row
  };
  /// That of line `number` from `row` on. Behind the last line, and past its own last row, a line has no
  /// rows: what is read there is zero, and what is stored there is not written.
  RowBlock blockAt(const IndexMath &math, Value number, Value row) const;

private:
  Line phase(const IndexMath &math, Value number) const;
  Line run(const IndexMath &math, Value number) const;
  Line entries(const IndexMath &math, Value number) const;

  std::int64_t types, width; ///< width 0: cyclic
  Value listed;              ///< maps with a row list; null where rows follow from numbers
  Value offset, line_count, longest_line;
  Value rows_of_phase, longer_phases;             // cyclic
  Value first_runs, first_rows, whole, tail_rows; // intervals
  Value first_type;
};

} // namespace compiler

#endif
