#include "runtime/cuda/row_list.h"

#include "runtime/gpu_kernel_abi.h"
#include "runtime/support/error.h"

#include <algorithm>
#include <string>

namespace algrt::cuda {

int64_t rowListWords(int64_t types, int64_t m) {
  if (types < 1 || m < 0 || types + m + 2 > algrt_most_gpu_rows)
    throw Error(ALGRT_INVALID_ARGUMENT, "a list of " + std::to_string(m) + " rows of " +
                                            std::to_string(types) + " types does not fit 32 bits");
  return types + 2 + m;
}

std::vector<int32_t> rowList(int64_t types, std::span<const int64_t> row_types) {
  std::vector<int32_t> list(size_t(rowListWords(types, int64_t(row_types.size()))));
  int32_t *const starts = list.data() + 1, *const entries = starts + types + 1;
  for (size_t row = 0; row < row_types.size(); ++row) {
    const int64_t type = row_types[row];
    if (type < 0 || type >= types)
      throw Error(ALGRT_INVALID_ARGUMENT, "types: row " + std::to_string(row) + " has type " +
                                              std::to_string(type) + ", the layer's types are 0 to " +
                                              std::to_string(types - 1));
    ++starts[type + 1];
  }
  list[0] = *std::max_element(starts + 1, starts + types + 1);
  for (int64_t type = 0; type < types; ++type)
    starts[type + 1] += starts[type];
  std::vector<int32_t> next(starts, starts + types);
  for (size_t row = 0; row < row_types.size(); ++row)
    entries[next[size_t(row_types[row])]++] = int32_t(row);
  return list;
}

} // namespace algrt::cuda
