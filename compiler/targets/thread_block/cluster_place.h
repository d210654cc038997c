// Where a thread block stands in its cluster, and with whom it shares what it copies.
#pragma once

#include "compiler/lower/integer_arithmetic.h"
#include "dialects/sm/sm.h"

namespace compiler {

/// The blocks of a cluster of rows x columns are numbered row by row. Those of a row work on the same rows of
/// X, those of a column on the same columns of the weight matrix. Bit r of a mask stands for block r.
struct ClusterPlace {
  using Value = mlir::Value;
  /// Writes the place of the block that runs the code, where `builder` stands.
  ClusterPlace(mlir::OpBuilder &builder, mlir::Location location, int64_t rows, int64_t columns);

  Value row, column;
  Value row_mask, column_mask; ///< the blocks of its row and of its column, itself among them
};

} // namespace compiler
