// Rows that come in joined runs: the last two coordinates of maps (runtime/gpu_kernel_abi.h).
#pragma once

#include "dialects/sm/sm.h"

#include <optional>

namespace compiler {

/// Splits the number of a row in its segment: the lowest bits are the place in a run, the others the run.
class JoinedRows {
public:
  /// Nothing where `type` joins no runs. `map` says which of the maps is read, i32.
  static std::optional<JoinedRows> of(mlir::OpBuilder &builder, mlir::Location location, sm::MapsType type,
                                      mlir::Value map);

  struct Place {
    mlir::Value within; ///< coordinate 2: the row among those of all segments' first runs
    mlir::Value run;    ///< coordinate 3
  };
  /// Of row `row` of a segment, both i32. Of all rows as they lie it is row `row` of the only run.
  Place at(mlir::Value segment, mlir::Value row) const;

  /// Whether rows so far apart are whole runs apart, the runs at one distance.
  bool areWholeRuns(int64_t rows) const { return !has_all_rows_ && rows % run_ == 0; }
  int64_t runsIn(int64_t rows) const { return rows / run_; }

private:
  JoinedRows(mlir::OpBuilder &builder, mlir::Location location, int64_t run, mlir::Value has_all_rows)
      : builder_(&builder), location_(location), run_(run), has_all_rows_(has_all_rows) {}

  mlir::OpBuilder *builder_;
  mlir::Location location_;
  int64_t run_;
  mlir::Value has_all_rows_; ///< i1; null where none of the maps has all rows as they lie
};

} // namespace compiler
