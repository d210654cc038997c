// A feed-forward network evaluated term by term in double precision, for some of its rows.
#pragma once

#include "runtime/bundle/support.h"
#include "runtime/reference/activation.h"

#include <cstdint>
#include <span>
#include <vector>

namespace algrt {

// y = (act(x gate) * (x up)) down, row-major and compact, in bf16: x is m x up.k, gate and up are up.k x
// up.n, down is down.k x down.n. `gate` is null where there is none: y = act(x up) down. Row 0 is at position
// 0.
struct NetworkProblem {
  const Layer *up, *down;
  const Support *up_support, *down_support;
  Activation activation;
  int64_t m;
  const uint16_t *x, *gate, *up_weights, *down_weights;
};

// Rows `rows` of y, one after another. In between are floats at the least. Costs the active multiplications
// of these rows in double, and a copy of the weights in float, on `threads` threads (0 = all).
std::vector<double> referenceNetwork(const NetworkProblem &problem, std::span<const int64_t> rows,
                                     int threads = 0);

} // namespace algrt
