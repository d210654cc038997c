#include "runtime/cpu/row_types.h"

#include "runtime/support/error.h"

#include <algorithm>

namespace algrt {

int64_t longestType(const Layer &layer, int64_t m, int64_t p0) {
  int64_t end;
  if (__builtin_add_overflow(p0, m, &end))
    throw Error(ALGRT_INVALID_ARGUMENT, "p0 is " + std::to_string(p0) + ": the position of the last of " +
                                            std::to_string(m) + " rows does not fit 64 bits");
  const int64_t width = layer.row_type_width;
  const int64_t period = layer.types * width;
  // Positions below p that are of type t.
  const auto below = [&](int64_t p, int64_t t) {
    return p / period * width + std::clamp<int64_t>(p % period - t * width, 0, width);
  };
  int64_t longest = 0;
  for (int64_t t = 0; t < layer.types; ++t)
    longest = std::max(longest, below(end, t) - below(p0, t));
  return longest;
}

int64_t sortRowsByType(const Layer &layer, const int32_t *types, int64_t m, int64_t *rows, int64_t *starts) {
  std::fill(starts, starts + layer.types + 1, int64_t(0));
  for (int64_t row = 0; row < m; ++row) {
    if (types[row] < 0 || types[row] >= layer.types)
      throw Error(ALGRT_INVALID_ARGUMENT, "types: row " + std::to_string(row) + " has type " +
                                              std::to_string(types[row]) + ", the layer's types are 0 to " +
                                              std::to_string(layer.types - 1));
    ++starts[types[row] + 1];
  }
  const int64_t longest = *std::max_element(starts + 1, starts + layer.types + 1);
  for (int64_t t = 0; t < layer.types; ++t)
    starts[t + 1] += starts[t];
  // starts[t] serves as the next free place of type t, and ends where type t + 1 begins.
  for (int64_t row = 0; row < m; ++row)
    rows[starts[types[row]]++] = row;
  for (int64_t t = layer.types; t > 0; --t)
    starts[t] = starts[t - 1];
  starts[0] = 0;
  return longest;
}

} // namespace algrt
