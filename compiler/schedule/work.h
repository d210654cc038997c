// What a product and a gradient of the weight matrix have to do whatever their schedule: bytes,
// multiplications, and the segments that rows lie in.
#pragma once

#include "algebras/layer.h"
#include "compiler/schedule/cost.h"
#include "compiler/schedule/gpu_machine.h"
#include "compiler/schedule/listed_rows.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace compiler {

/// How many networks have rows, and how many rows each of them has at most. Rows are divided among experts as
/// evenly as they can be; an expert without rows does nothing.
struct RowsOfNetworks {
  /// `m` is at least 1. Of one network with 0 experts.
  explicit RowsOfNetworks(int64_t m, int64_t experts = 0)
      : count(experts > 0 ? std::min(m, experts) : 1), rows((m + count - 1) / count),
        with_most(m - count * (rows - 1)) {}
  int64_t count, rows;
  int64_t with_most; ///< networks that have so many rows; the others have one less

  /// What all networks have together of something that follows from the rows of one.
  template <class OfRows> auto total(OfRows of_rows) const {
    auto sum = with_most * of_rows(rows);
    if (count > with_most)
      sum += (count - with_most) * of_rows(rows - 1);
    return sum;
  }
};

/// Rows of the runs that kernels of a GPU join, so that the rows of a type are one segment; 0 where a run is
/// a segment of its own, or there are none. A run of 64 rows fills a tile. Of shorter ones a tile would be
/// partly empty, and a box of a tensor map has several where they divide it.
int64_t joinedRun(const algebras::RowTypes &types);

/// So many segments of so many rows: all rows of a phase where row types are cyclic; a run where they are
/// intervals, or all runs of a type where runs are joined. No tile of a GPU kernel crosses a segment
/// (runtime/gpu_kernel_abi.h).
struct EqualSegments {
  double count, rows;
};

struct ProjectionWork {
  double types, groups;              ///< of rows; of output columns
  double k, n;                       ///< width of an input group and of an output group
  double terms;                      ///< of one type and one group, on average
  double most_terms;                 ///< of one type and one group
  std::vector<double> terms_by_rank; ///< of the groups of a type, most terms first (group_order.h)
  double macs;                       ///< multiply-accumulates of the terms for these rows
  double x_bytes, y_bytes;           ///< Y: with further results, and matrices like it that maps read
  double weight_bytes; ///< of the blocks that some row of the batch uses, of all weight matrices
  double type_bytes;   ///< of the blocks that one type uses, on average, of all weight matrices
  double weights = 1;  ///< weight matrices, which X is multiplied by
  double results = 1;  ///< matrices like Y that are written
  bool intervals;      ///< segments of one type come back, after those of all others
  /// The product is by the transposed weight matrix: a row of a block in memory is `k` wide, and there are
  /// `n` of them.
  bool transposed = false;
  /// Of the groups of a type that of its own number has many terms and every other one few: a complete
  /// graph's gradient.
  bool own_groups_are_long = false;
  std::vector<EqualSegments> segments;
  /// Where rows come from a list; `segments` then are what they would be if each type had as many as the
  /// others.
  std::optional<ListedRows> list;

  double rows() const;
  double longestSegment() const;
  /// Terms on average of the groups that come first when `longest_first` of each type do, and of the others.
  std::pair<double, double> termsOfLongAndShort(int64_t longest_first) const;
};

struct WeightGradientWork {
  double weight_rows; ///< row groups of dW
  double k, n;        ///< rows and columns of a block
  /// Of the blocks of one row group, the types whose rows they sum up, most first (group_order.h).
  std::vector<double> types_by_rank;
  double types;
  bool complete; ///< of the blocks of a row group one is of all types, each other one of a single type
  double rows;   ///< of the batch, M
  double macs;
  double x_bytes, dy_bytes, dw_bytes;
  std::optional<ListedRows> list; ///< where rows come from one

  /// Steps of `depth` rows each that a block of so many types takes: through all rows as they lie where all
  /// types have a part in it, else through those of each type.
  double steps(double of_types, double depth) const;
  /// Steps through all rows, type after type.
  double stepsTypeAfterType(double depth) const;
};

/// Of one type and one group; of large algebras an estimate from some thousand of them, for costs.
double mostTerms(const algebras::Lift &lift);

/// For `m` rows from position 0 on, with results of type `output`. Of groups of unequal widths the mean is
/// taken; where row types are explicit, each has as many rows as the others, or one more. Throws
/// algebras::InputError where m < 1 or counts leave 64 bits.
ProjectionWork projectionWork(const algebras::Layer &layer, int64_t m, algebras::DataType output);
/// Of all networks whose rows a list has, of a layer with explicit row types: each counts as if it had as
/// many rows as the one with the most.
ProjectionWork projectionWork(const algebras::Layer &layer, const RowsOfNetworks &networks,
                              algebras::DataType output);
WeightGradientWork weightGradientWork(const algebras::Layer &layer, int64_t m, algebras::DataType output);

/// What bytes and tensor cores of a device need at least. The operands, the result and the blocks of the
/// weight matrix that are used move once at the rate of a copy; the terms are multiplied at the rate of dense
/// products.
Floor floorOf(const ProjectionWork &work, const GpuMachine &machine);
Floor floorOf(const WeightGradientWork &work, const GpuMachine &machine);

} // namespace compiler
