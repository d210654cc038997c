#include "compiler/simulator/model/matrix_product.h"

namespace simulator {

// One copy of the loops for each generation of vector registers; the loader chooses.
__attribute__((target_clones("avx512f", "avx2", "default"))) void
addProduct(float *__restrict d, const float *__restrict a, const float *__restrict b, int32_t n) {
  for (int32_t row = 0; row < 16; ++row) {
    float *sums = d + row * n;
    for (int32_t depth = 0; depth < 16; depth += 4) {
      const float a0 = a[row * 16 + depth], a1 = a[row * 16 + depth + 1];
      const float a2 = a[row * 16 + depth + 2], a3 = a[row * 16 + depth + 3];
      const float *b0 = b + depth * n, *b1 = b0 + n, *b2 = b1 + n, *b3 = b2 + n;
      for (int32_t column = 0; column < n; ++column)
        sums[column] += (a0 * b0[column] + a1 * b1[column]) + (a2 * b2[column] + a3 * b3[column]);
    }
  }
}

} // namespace simulator
