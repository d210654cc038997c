// Whether a result is the product, element by element.
#pragma once

#include "compiler/simulator/simulate.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace compiler {

/// The product in double precision, and for each element the error that f32 sums in any order may have: the
/// number of products times the rounding error of the sum of their magnitudes.
struct ExpectedProduct {
  std::vector<double> value; ///< m x N, or m x K where the map is dx, or K x weightColumns where it is dw
  std::vector<double> slack; ///< as many
};

/// What expectedProduct takes of memory at most for m rows. Throws algrt::Error where that leaves 64 bits.
int64_t expectedProductBytes(const algrt::Layer &layer, int64_t m, algrt::Map map);

ExpectedProduct expectedProduct(const ProductOperands &product, algrt::Map map = algrt::Map::Forward);

struct Agreement {
  int64_t wrong = 0; ///< elements outside their tolerance
  int64_t first_wrong = -1;
  double worst = 0;         ///< largest error of an element over its tolerance, of those that are finite
  double largest_error = 0; ///< absolute
};

/// An element's tolerance is its slack, and half a unit in the last place of `output` more. NaN and
/// infinities have to be those of the reference.
Agreement agreement(std::span<const float> y, const ExpectedProduct &expected, algrt::ElementType output);

/// "Y[3, 17] is 1.5, not 1.25": the first element that is wrong of the result of a map.
std::string describeFirst(const Agreement &agreement, std::span<const float> y,
                          const ExpectedProduct &expected, const algrt::Layer &layer, algrt::Map map);

} // namespace compiler
