// How many rows of each type there are, and for explicit types which.
#pragma once

#include "runtime/bundle/manifest.h"

namespace algrt {

// Most rows that any one type has among positions p0 ... p0 + m - 1. Cyclic and interval types. Costs one
// step per type. Throws Error(ALGRT_INVALID_ARGUMENT) if the last position does not fit 64 bits.
int64_t longestType(const Layer &layer, int64_t m, int64_t p0);

// Explicit types: counting sort, stable. rows has m entries, starts layer.types + 1. Returns the length of
// the longest type. Throws Error(ALGRT_INVALID_ARGUMENT) naming the first row whose type is out of range.
int64_t sortRowsByType(const Layer &layer, const int32_t *types, int64_t m, int64_t *rows, int64_t *starts);

} // namespace algrt
