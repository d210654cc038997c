#include "compiler/spec/closest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace compiler {
namespace {

// Longer words are not typing errors of ours; the bound keeps hostile input cheap.
constexpr size_t longest_word = 64;

// Optimal string alignment distance.
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> distance(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    distance[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j)
    distance[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replace = distance[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      size_t best = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = std::min(best, distance[i - 2][j - 2] + 1);
      distance[i][j] = best;
    }
  }
  return distance[a.size()][b.size()];
}

} // namespace

std::optional<std::string_view> closest(std::string_view word, std::span<const std::string_view> candidates) {
  std::optional<std::string_view> best;
  size_t best_distance = 0;
  if (word.size() > longest_word)
    return best;
  for (std::string_view candidate : candidates) {
    size_t distance = editDistance(word, candidate);
    size_t allowed = std::max<size_t>(1, std::max(word.size(), candidate.size()) / 3);
    // "in" and "kind" must not be offered for any two letters: something has to be left of the word.
    if (distance > allowed || distance >= std::max(word.size(), candidate.size()))
      continue;
    if (!best || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

} // namespace compiler
