// Whether two lists are the same up to order, where sameness is not always decided.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace algebras {

// `same(i, j)` says whether element i of the left list and j of the right one are equivalent, or nothing
// where that is not known. Elements are paired off with the first partner that fits, which is no loss since
// this is an equivalence.
template <typename Same> std::optional<bool> pairOff(size_t left_count, size_t right_count, Same same) {
  if (left_count != right_count)
    return false;
  std::vector<bool> taken(right_count, false);
  bool is_undecided = false;
  for (size_t i = 0; i < left_count; ++i) {
    bool found = false, open = false;
    for (size_t j = 0; j < right_count && !found; ++j) {
      if (taken[j])
        continue;
      std::optional<bool> answer = same(i, j);
      found = answer.value_or(false);
      open = open || !answer;
      if (found)
        taken[j] = true;
    }
    if (!found && !open)
      return false;
    is_undecided = is_undecided || !found;
  }
  if (is_undecided)
    return std::nullopt;
  return true;
}

} // namespace algebras
