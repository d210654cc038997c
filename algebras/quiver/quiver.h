// Finite quivers: directed graphs whose arrows have names, with loops and several arrows between two
// vertices.
#pragma once

#include "algebras/graph/graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace algebras {

struct Arrow {
  std::string name;
  std::int64_t source = 0, target = 0;
};

class Quiver {
public:
  // InputError for no vertices, beyond kMaximumVertices or kMaximumArrows, ends that are no vertices and
  // names that are given twice.
  Quiver(std::vector<std::string> vertices, std::vector<Arrow> arrows);

  std::int64_t vertexCount() const { return static_cast<std::int64_t>(vertices_.size()); }
  std::int64_t arrowCount() const { return static_cast<std::int64_t>(arrows_.size()); }
  const std::string &vertexName(std::int64_t vertex) const { return vertices_[vertex]; }
  const Arrow &arrow(std::int64_t number) const { return arrows_[number]; }
  // The numbers of the arrows that leave a vertex, ascending.
  const std::vector<std::int32_t> &leaving(std::int64_t vertex) const { return leaving_[vertex]; }

  // "a:1->2, b:2->3": reads back as the same quiver, vertices in the same order.
  std::string text() const;

  static constexpr std::int64_t kMaximumVertices = std::int64_t{1} << 20;
  static constexpr std::int64_t kMaximumArrows = std::int64_t{1} << 20;

private:
  std::vector<std::string> vertices_;
  std::vector<Arrow> arrows_;
  std::vector<std::vector<std::int32_t>> leaving_;
};

// The quiver of a graph: arrow i -> j is called "a<i>_<j>", as in its graph algebra. InputError beyond the
// limits.
Quiver quiverOfGraph(const Graph &graph);
// The complete graph, the path 0->1->...->n-1 and n vertices without arrows.
Quiver completeQuiver(std::int64_t n);
Quiver pathQuiver(std::int64_t n);
Quiver discreteQuiver(std::int64_t n);

} // namespace algebras
