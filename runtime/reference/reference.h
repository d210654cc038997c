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
  const float *w; // k x layer.weightColumns(), row-major, already rounded
  int64_t w_stride;
  int64_t p0 = 0;
  const int32_t *types = nullptr; // one per row; null: they follow from p0
  const float *bias = nullptr;    // n numbers, already rounded, where the layer has a bias
};

// The gradient of x: dx = dy w^T, term by term.
struct DxProblem {
  const Layer *layer;
  const Support *support;
  int64_t m;
  const float *dy; // m x n, row-major, already rounded to the layer's dtype
  int64_t dy_stride;
  const float *w; // as in ForwardProblem
  int64_t w_stride;
  int64_t p0 = 0;
  const int32_t *types = nullptr;
};

// The gradient of the weight matrix: dw = x^T dy, term by term.
struct DwProblem {
  const Layer *layer;
  const Support *support;
  int64_t m;
  const float *x; // as in ForwardProblem
  int64_t x_stride;
  const float *dy; // as in DxProblem
  int64_t dy_stride;
  int64_t p0 = 0;
  const int32_t *types = nullptr;
};

// Row type of every row: `types` where they are given, which explicit types have to be. Throws
// Error(ALGRT_INVALID_ARGUMENT) for a type out of range.
std::vector<int64_t> rowTypes(const Layer &layer, int64_t m, int64_t p0, const int32_t *types);

// Rows `rows` of y, one after another, n wide each. Costs their active MACs in double on `threads` threads (0
// = all). A product of zero with NaN or infinity is NaN, as in any other evaluation of the same terms.
std::vector<double> referenceForward(const ForwardProblem &problem, std::span<const int64_t> rows,
                                     int threads = 0);
// All rows.
std::vector<double> referenceForward(const ForwardProblem &problem, int threads = 0);

// Rows `rows` of dx, one after another, k wide each; otherwise as referenceForward.
std::vector<double> referenceDx(const DxProblem &problem, std::span<const int64_t> rows, int threads = 0);
std::vector<double> referenceDx(const DxProblem &problem, int threads = 0);

// Rows `rows` of dw (row r belongs to feature r of the weight matrix's row groups, one after another),
// weightColumns() wide each; otherwise as referenceForward.
std::vector<double> referenceDw(const DwProblem &problem, std::span<const int64_t> rows, int threads = 0);
std::vector<double> referenceDw(const DwProblem &problem, int threads = 0);

} // namespace algrt
