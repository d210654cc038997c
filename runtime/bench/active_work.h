// What a forward product has to do at least: the multiply-accumulates of its terms, and the elements that it
// reads or writes, each once.
#pragma once

#include "runtime/bundle/bundle.h"

#include <span>

namespace algrt {

struct ActiveWork {
  int64_t macs;
  // x and y whole; of the weight matrix the blocks that some row reads.
  int64_t x_elements, weight_elements, y_elements;
};

// type_of_row[r] is the row type of row r; the terms are those of the layer. Throws
// Error(ALGRT_OUT_OF_MEMORY) where a count does not fit 64 bits.
ActiveWork activeWork(const Layer &layer, const Support &support, std::span<const int64_t> type_of_row);
// Of a call of m rows from position 0, or of calls that begin at one row type after the other, on average.
// `types` is null unless they are explicit.
ActiveWork averageWork(const Layer &layer, const Support &support, int64_t m, const int32_t *types,
                       bool rotates);
inline ActiveWork averageWork(const Bundle &bundle, int64_t m, const int32_t *types, bool rotates) {
  return averageWork(bundle.layer(), bundle.support(), m, types, rotates);
}

} // namespace algrt
