#include "runtime/reference/column_sums_check.h"

#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/sampled_check.h"

#include <cmath>
#include <cstdio>

namespace algrt {

ColumnSumsCheck::ColumnSumsCheck(const uint16_t *dy, int64_t m, int64_t n)
    : sums_(size_t(n), 0), magnitudes_(size_t(n), 0) {
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column) {
      const double value = double(fromBfloat16(dy[row * n + column]));
      sums_[size_t(column)] += value;
      magnitudes_[size_t(column)] += std::abs(value);
    }
}

std::string ColumnSumsCheck::objection(const uint16_t *sums) const {
  for (size_t column = 0; column < sums_.size(); ++column) {
    const double value = double(fromBfloat16(sums[column]));
    const double allowed = bf16_rounding * std::abs(sums_[column]) + f32_sum_error * magnitudes_[column];
    if (std::abs(value - sums_[column]) <= allowed) // false for NaN
      continue;
    char text[128];
    std::snprintf(text, sizeof(text), "the gradient of the bias is wrong at column %zu: %.6g instead of %.6g",
                  column, value, sums_[column]);
    return text;
  }
  return "";
}

} // namespace algrt
