// Whether somebody passed a matrix the other way round: what error messages ask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace algrt {

// Whether `shape`, which is not what is needed, would be with its last two extents exchanged. A negative
// extent among the needed ones stands for any.
inline bool isTransposed(std::span<const int64_t> shape, std::span<const int64_t> needed) {
  const size_t count = needed.size();
  if (count < 2 || shape.size() != count)
    return false;
  const auto fits = [&](int64_t extent, size_t i) { return needed[i] < 0 || extent == needed[i]; };
  for (size_t i = 0; i + 2 < count; ++i)
    if (!fits(shape[i], i))
      return false;
  return fits(shape[count - 1], count - 2) && fits(shape[count - 2], count - 1);
}

} // namespace algrt
