// The innermost loop of the stand-ins for NVIDIA's libraries.
#pragma once

#include <cstdint>

namespace algrt::test {

// sums[row] = sum over j of a[row + j * lda] * b[j], in f32 and in the order of j; a and b are bf16. The
// caller has checked that all of it is there: this file is compiled without sanitizers.
void columnProduct(const uint16_t *a, int64_t lda, const uint16_t *b, int64_t rows, int64_t depth,
                   float *sums);

} // namespace algrt::test
