// The product as ordinary matrix products of blocks, in rounds: what a user of a library of dense products
// would compose it from.
#pragma once

#include "runtime/bundle/bundle.h"

#include <cstdint>
#include <vector>

namespace algrt {

// rows x columns of y, from rows x depth of x and depth x columns of the weight matrix. Places are in
// elements.
struct BlockGemm {
  int64_t rows, columns, depth;
  int64_t x, w, y;
  double coefficient;
};

// Products that may run in any order or at once: no two write the same element of y.
using BlockRound = std::vector<BlockGemm>;

struct BlockProduct {
  // From one row of a block to the next, in elements: rows of one type are not neighbours.
  int64_t x_stride, w_stride, y_stride;
  // The first writes every element of y; the others add to it.
  std::vector<BlockRound> rounds;

  int64_t gemms() const;
};

// The product of m rows, row 0 at position 0. Where one block of x is multiplied with neighbours of the
// weight matrix for neighbouring groups of y, that is one product; such products come first. Of interval
// types, each row of a run is a product of its own or each run, whichever are fewer. Slots of y without terms
// are products with coefficient 0. Throws Error(ALGRT_UNSUPPORTED) for explicit types, whose rows have no
// regular places.
BlockProduct composeOfBlocks(const Layer &layer, const Support &support, int64_t m);

} // namespace algrt
