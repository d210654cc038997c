#include "runtime/cuda/bias_gradient_plan.h"

#include "runtime/support/checked.h"

#include <algorithm>

namespace algrt::cuda {

namespace {

constexpr int64_t sum_bytes = sizeof(double), most_blocks = 0x7fffffff;

int64_t partsOf(int64_t rows, int64_t part_rows) { return std::max<int64_t>(ceilDivide(rows, part_rows), 1); }

ColumnSumsLaunch withGrid(ColumnSumsLaunch launch) {
  const int64_t blocks = ceilDivide<int64_t>(launch.columns, algrt_dbias_columns);
  launch.grid = uint32_t(std::min(blocks * partsOf(launch.rows, launch.part_rows), most_blocks));
  return launch;
}

} // namespace

int64_t biasGradientBytes(int64_t n, int64_t m) {
  const int64_t parts = partsOf(m, bias_gradient_part_rows);
  return parts == 1 ? 0 : parts * n * sum_bytes + sum_bytes - 1;
}

std::vector<ColumnSumsLaunch> planBiasGradient(const BiasGradientCall &call) {
  const int32_t rows = int32_t(call.rows), columns = int32_t(call.columns);
  const int32_t part_rows = int32_t(bias_gradient_part_rows), parts = int32_t(partsOf(rows, part_rows));
  const int32_t form = call.output == ElementType::F32 ? algrt_dbias_to_f32 : 0;
  if (parts == 1)
    return {withGrid({0, call.dbias, call.dy, call.leading, rows, columns, part_rows, form, call.beta})};
  return {withGrid({0, call.sums, call.dy, call.leading, rows, columns, part_rows, algrt_dbias_to_sums, 0}),
          withGrid({0, call.dbias, call.sums, columns, parts, columns, parts, form | algrt_dbias_from_sums,
                    call.beta})};
}

} // namespace algrt::cuda
