// How many rows of each type there are and, where they are not regular, which.
#pragma once

#include "runtime/bundle/manifest.h"
#include "runtime/cpu/row_source.h"

namespace algrt {

// Most rows that any one type has among positions p0 ... p0 + m - 1. Cyclic and interval types. Costs one
// step per type. Throws Error(ALGRT_INVALID_ARGUMENT) if the last position does not fit 64 bits.
int64_t longestType(const Layer &layer, int64_t m, int64_t p0);

// Looks at every number of a source for m rows: positions that are 0 or more, and sequences that cover the
// rows in order, which equal ones do that divide m. Throws Error(ALGRT_INVALID_ARGUMENT) naming the argument,
// the index, what is there and what is needed. Types are looked at where rows are sorted.
void checkRows(const RowSource &source, int64_t m);

// The type of each of m rows that checkRows has passed, from positions or sequences. Cyclic and interval
// types.
void typesOfRows(const Layer &layer, const RowSource &source, int64_t m, int32_t *types);

// Counting sort, stable. rows has m entries, starts layer.types + 1. Returns the length of
// the longest type. Throws Error(ALGRT_INVALID_ARGUMENT) naming the first row whose type is out of range.
int64_t sortRowsByType(const Layer &layer, const int32_t *types, int64_t m, int64_t *rows, int64_t *starts);

} // namespace algrt
