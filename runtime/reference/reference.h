// The product evaluated term by term in double precision, straight from the layer and its terms: nothing here
// is shared with the kernels.
#pragma once

#include "runtime/bundle/support.h"

#include <cstdint>
#include <span>
#include <vector>

namespace algrt {

struct ForwardProblem {
  const Layer *layer;
  const Support *support;
  int64_t m;
  const float *x; // m x k, row-major, already rounded to the layer's dtype
  int64_t x_stride;
  const float *w; // k x layer.bankColumns(), row-major, already rounded
  int64_t w_stride;
  int64_t p0 = 0;
  const int32_t *types = nullptr; // explicit types: one per row
};

// Row type of every row. Throws Error(ALGRT_INVALID_ARGUMENT) for a type out of range.
std::vector<int64_t> rowTypes(const ForwardProblem &problem);

// Rows `rows` of y, one after another, n wide each. Costs their active MACs in double on `threads` threads (0
// = all). A product of zero with NaN or infinity is NaN, as in any other evaluation of the same terms.
std::vector<double> referenceForward(const ForwardProblem &problem, std::span<const int64_t> rows,
                                     int threads = 0);
// All rows.
std::vector<double> referenceForward(const ForwardProblem &problem, int threads = 0);

} // namespace algrt
