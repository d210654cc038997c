// The row list of runtime/gpu_kernel_abi.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace algrt::cuda {

// Words of the list of m rows: the greatest number of rows of a type, the starts and the end, the entries.
// Throws Error(ALGRT_INVALID_ARGUMENT) where it does not fit int32.
int64_t rowListWords(int64_t types, int64_t m);

// The list of rows of these types, each of 0 ... types - 1, as a device makes it: rows of one type in
// ascending order. Of experts the types are those of each: expert times the layer's types, plus the row's.
// Throws Error(ALGRT_INVALID_ARGUMENT) naming the first row whose type is none.
std::vector<int32_t> rowList(int64_t types, std::span<const int64_t> row_types);

} // namespace algrt::cuda
