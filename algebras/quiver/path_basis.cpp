#include "algebras/quiver/path_basis.h"

#include "algebras/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace algebras {

PathBasis::PathBasis(const Quiver &quiver, const AvoidingPaths &automaton, std::optional<int64_t> below)
    : idempotents_(quiver.vertexCount(), -1) {
  // Breadth first: paths appear by length, and among equal lengths and sources by their arrows.
  std::vector<Path> found;
  std::vector<int32_t> nodes, children_begin, children_end;
  auto add = [&](Path path, int32_t node) {
    if (static_cast<int64_t>(found.size()) == most_paths)
      throw InputError(
          fmt::format("this algebra has more than {} paths that are not zero, and that is the limit",
                      most_paths))
          .hint("bound the length of paths, or take fewer arrows");
    found.push_back(path);
    nodes.push_back(node);
  };
  for (int32_t vertex = 0; vertex < quiver.vertexCount(); ++vertex)
    if (automaton.start(vertex) >= 0)
      add({vertex, vertex}, automaton.start(vertex));
  for (size_t index = 0; index < found.size(); ++index) {
    children_begin.push_back(static_cast<int32_t>(found.size()));
    if (!below || found[index].length + 1 < *below)
      for (const AvoidingPaths::Step &step : automaton.steps(nodes[index])) {
        Path path = found[index];
        path.target = static_cast<int32_t>(quiver.arrow(step.arrow).target);
        path.without_last = static_cast<int32_t>(index);
        path.last = step.arrow;
        if (++path.length == 1)
          path.first = step.arrow;
        add(path, step.node);
      }
    children_end.push_back(static_cast<int32_t>(found.size()));
  }

  std::vector<int32_t> order(found.size()), slots(found.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t left, int32_t right) {
    return std::tie(found[left].source, found[left].target, left) <
           std::tie(found[right].source, found[right].target, right);
  });
  for (size_t slot = 0; slot < order.size(); ++slot)
    slots[order[slot]] = static_cast<int32_t>(slot);
  children_begin_.push_back(0);
  for (int32_t index : order) {
    Path path = found[index];
    if (path.length > 0)
      path.without_last = slots[path.without_last];
    else
      idempotents_[path.source] = slots[index];
    for (int32_t child = children_begin[index]; child < children_end[index]; ++child)
      children_.push_back(slots[child]);
    children_begin_.push_back(static_cast<int32_t>(children_.size()));
    paths_.push_back(path);
  }
  // By length: the path without its first arrow is that of the path without its last one, extended.
  for (int32_t index = 0; index < static_cast<int32_t>(found.size()); ++index) {
    Path &path = paths_[slots[index]];
    if (path.length == 1)
      path.without_first = idempotents_[path.target];
    else if (path.length > 1)
      path.without_first =
          static_cast<int32_t>(extended(paths_[path.without_last].without_first, path.last).value());
  }
}

Word PathBasis::word(int64_t slot) const {
  Word word;
  for (; paths_[slot].length > 0; slot = paths_[slot].without_last)
    word.push_back(static_cast<char32_t>(paths_[slot].last));
  std::reverse(word.begin(), word.end());
  return word;
}

std::optional<int64_t> PathBasis::idempotent(int64_t vertex) const {
  return idempotents_[vertex] < 0 ? std::nullopt : std::optional<int64_t>(idempotents_[vertex]);
}

std::optional<int64_t> PathBasis::extended(int64_t slot, int32_t arrow) const {
  auto begin = children_.begin() + children_begin_[slot], end = children_.begin() + children_begin_[slot + 1];
  auto place = std::lower_bound(begin, end, arrow,
                                [&](int32_t child, int32_t wanted) { return paths_[child].last < wanted; });
  if (place == end || paths_[*place].last != arrow)
    return std::nullopt;
  return *place;
}

std::optional<int64_t> PathBasis::find(int64_t source, const Word &word) const {
  std::optional<int64_t> slot = idempotent(source);
  for (size_t place = 0; slot && place < word.size(); ++place)
    slot = extended(*slot, static_cast<int32_t>(word[place]));
  return slot;
}

} // namespace algebras
