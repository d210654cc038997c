// The sums of a warpgroup's products: where lanes hold them, and which of the warp's a product adds to.
#pragma once

#include "compiler/simulator/model/multiprocessor.h"

#include <cstdint>

namespace simulator {

// Where lane `lane` holds value `position` of its n / 2: the row of 16 and the column.
inline int32_t rowOf(int32_t lane, int32_t position) { return lane / 4 + 8 * (position >> 1 & 1); }
inline int32_t columnOf(int32_t lane, int32_t position) {
  return position / 4 * 8 + lane % 4 * 2 + (position & 1);
}

struct MmaArguments {
  float *d;
  const uint32_t *registers; // of A, or null
  int64_t a, b;
  int32_t n, flags;
};
inline MmaArguments &argumentsOf(const Warp &warp, int32_t lane) {
  return *static_cast<MmaArguments *>(warp.arguments[lane]);
}

// The accumulator that the warp's product of 64 x n is for, by the handles or the plain values that its lanes
// hold; a new one where they hold none in flight. Faults where lanes disagree.
int32_t chooseAccumulator(Multiprocessor &model, Warp &warp, int32_t n, int32_t flags);

} // namespace simulator
