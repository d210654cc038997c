// Finitely many paths, closed under taking pieces: the basis of a bound quiver algebra.
#pragma once

#include "algebras/quiver/leading_words.h"
#include "algebras/quiver/relation.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// Slots are sorted by (source, target, length, arrows), so that with one path between two vertices they count
// row-major. Every path knows its two pieces that lack one arrow.
class PathBasis {
public:
  struct Path {
    int32_t source = 0, target = 0, length = 0;
    int32_t first = -1, last = -1;                 // arrows; none of an idempotent
    int32_t without_first = -1, without_last = -1; // slots
  };

  // All paths that the automaton reads, with fewer than `below` arrows. InputError beyond most_paths.
  PathBasis(const Quiver &quiver, const AvoidingPaths &automaton, std::optional<int64_t> below);

  int64_t size() const { return static_cast<int64_t>(paths_.size()); }
  const Path &path(int64_t slot) const { return paths_[slot]; }
  Word word(int64_t slot) const;
  // The slot of the idempotent of a vertex; nothing where the vertex carries none.
  std::optional<int64_t> idempotent(int64_t vertex) const;
  // The slot of a path followed by an arrow, or nothing when that is not in the basis.
  std::optional<int64_t> extended(int64_t slot, int32_t arrow) const;
  std::optional<int64_t> find(int64_t source, const Word &word) const;

  static constexpr int64_t most_paths = int64_t{1} << 20;

private:
  std::vector<Path> paths_;
  std::vector<int32_t> idempotents_;    // by vertex, -1 for none
  std::vector<int32_t> children_begin_; // the longer paths of slot s: children_[begin[s]] to begin[s + 1]
  std::vector<int32_t> children_;       // slots, ascending by last arrow
};

} // namespace algebras
