// The segments of X and Y: the runs of rows of one type that a map can address. See runtime/gpu_kernel_abi.h.
#pragma once

#include "compiler/lower/integer_arithmetic.h"
#include "dialects/alg/alg.h"

namespace compiler {

/// Numbers the segments 0, 1, ... and says where each is. Of explicit row types a segment is a type, with the
/// rows that the row list has of it; of intervals it is a run, or all whole runs of a type (`joinedRun`).
class RowSegments {
public:
  using Value = mlir::Value;
  /// Writes what all segments share. `rows` is M, `offset` the position of row 0 modulo the period; `listed`
  /// are the maps of X where row types are explicit. Of `experts`, null where there is one network, each has
  /// segments of its own.
  RowSegments(const IntegerArithmetic &math, alg::RowTypesAttr types, Value rows, Value offset, Value listed,
              Value experts = {});

  static bool areListed(alg::RowTypesAttr types) { return types.getKind() == alg::RowTypeKind::Explicit; }

  /// How many tensor maps the segments of such types are spread over.
  static int64_t maps(alg::RowTypesAttr types);

  Value count() const { return segment_count_; }
  /// No segment has more rows.
  Value longest() const { return longest_segment_; }

  /// Steps of `depth` rows each through the rows of a type: as many for each, of which those may be empty
  /// that other types have more rows in.
  Value stepsOfType(const IntegerArithmetic &math, int64_t depth) const;

  struct Segment {
    Value map;     ///< which of the maps it belongs to
    Value segment; ///< its coordinate in that map
    Value rows;
    Value type;        ///< of all its rows
    Value expert = {}; ///< whose rows they are; null where there is one network
  };
  Segment at(const IntegerArithmetic &math, Value number) const;

  /// A block of rows of a segment.
  struct RowBlock {
    Segment segment;
    Value row;    ///< its first row
    Value exists; ///< i1: the segment has such a row
  };
  /// That of segment `number` from `row` on. Behind the last segment, and past its own last row, a segment
  /// has no rows: what is read there is zero, and what is stored there is not written.
  RowBlock blockAt(const IntegerArithmetic &math, Value number, Value row) const;
  /// That of such a step of a type.
  RowBlock blockOfStep(const IntegerArithmetic &math, Value type, Value step, int64_t depth) const;

private:
  /// The first segment of a type; every further one is as many segments on as there are types. Of types
  /// without rows it is no segment.
  Value firstOf(const IntegerArithmetic &math, Value type) const;
  RowBlock blockOfJoinedStep(const IntegerArithmetic &math, Value first, Value step, int64_t depth) const;
  /// Steps through a run, which is one segment or a partial one.
  int64_t stepsOfRun(int64_t depth) const { return (width_ + depth - 1) / depth; }
  Segment phase(const IntegerArithmetic &math, Value number) const;
  Segment run(const IntegerArithmetic &math, Value number) const;
  Segment joinedRuns(const IntegerArithmetic &math, Value number) const;
  Segment entries(const IntegerArithmetic &math, Value number) const;

  int64_t types_, width_; ///< width 0: cyclic
  bool joins_;            ///< whole runs of a type are one segment
  Value listed_;          ///< maps with a row list; null where rows follow from numbers
  bool has_experts_;
  Value offset_, segment_count_, longest_segment_;
  Value rows_of_phase_, longer_phases_;                       // cyclic
  Value first_runs_, first_rows_, whole_, tails_, tail_rows_; // intervals
  Value first_type_;
  Value longer_types_, runs_of_type_, last_number_; // joined runs
};

} // namespace compiler
