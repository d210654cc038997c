#include "compiler/targets/thread_block/cluster_place.h"

using namespace mlir;

namespace compiler {

ClusterPlace::ClusterPlace(OpBuilder &builder, Location location, int64_t rows, int64_t columns) {
  const IntegerArithmetic math(builder, location);
  Value rank = sm::ClusterRankOp::create(builder, location, builder.getIndexType());
  row = rows == 1 ? math.constant(0) : math.divide(rank, columns);
  column = columns == 1 ? math.constant(0) : math.remainder(rank, columns);
  int64_t first_column = 0;
  for (int64_t i = 0; i < rows; ++i)
    first_column |= int64_t{1} << i * columns;
  const int64_t first_row = (int64_t{1} << columns) - 1;
  row_mask = math.shiftLeft(first_row, math.multiply(row, columns));
  column_mask = math.shiftLeft(first_column, column);
}

} // namespace compiler
