#include "tests/runtime/gpu_bench/column_product.h"

#include "runtime/numeric/bfloat16.h"

#include <algorithm>

namespace algrt::test {

void columnProduct(const uint16_t *a, int64_t lda, const uint16_t *b, int64_t rows, int64_t depth,
                   float *sums) {
  std::fill_n(sums, rows, 0.0f);
  for (int64_t j = 0; j < depth; ++j) {
    const float factor = fromBfloat16(b[j]);
    for (int64_t row = 0; row < rows; ++row)
      sums[row] += fromBfloat16(a[row + j * lda]) * factor;
  }
}

} // namespace algrt::test
