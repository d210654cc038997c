// A set of words, and the paths that contain none of them.
#pragma once

#include "algebras/quiver/relation.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace algebras {

// Words with a number each, found inside other words. None may be empty.
class WordSet {
public:
  struct Match {
    size_t offset;
    int64_t number;
  };

  void insert(const Word &word, int64_t number);
  void erase(const Word &word);
  // The first place where a word of the set begins inside `text`, and the shortest word there. Adds the
  // letters looked at to `looked`.
  std::optional<Match> findIn(const Word &text, int64_t &looked) const;

private:
  friend class AvoidingPaths;
  struct Node {
    std::unordered_map<char32_t, int32_t> children;
    int64_t number = -1; // of the word that ends here
  };
  std::vector<Node> nodes_{1};
};

// The paths of a quiver that avoid a set of words, read by an automaton (Aho and Corasick): its nodes are
// pairs of a vertex and the longest end of what was read that begins a word of the set.
class AvoidingPaths {
public:
  struct Step {
    int32_t arrow, node;
  };

  // `alive` marks the vertices that paths may touch.
  AvoidingPaths(const Quiver &quiver, const WordSet &words, const std::vector<bool> &alive);

  int32_t start(int64_t vertex) const { return starts_[vertex]; } // of a vertex that is alive
  // The arrows that may follow, ascending.
  const std::vector<Step> &steps(int32_t node) const { return steps_[node]; }
  // The arrows of a cycle that may be walked for ever; nothing when there are finitely many paths.
  std::optional<Word> findCycle() const;
  // The number of paths, or nothing beyond `limit`. Without cycles only.
  std::optional<int64_t> count(int64_t limit) const;

private:
  std::vector<int32_t> starts_; // by vertex; -1 where it is not alive
  std::vector<std::vector<Step>> steps_;
};

} // namespace algebras
