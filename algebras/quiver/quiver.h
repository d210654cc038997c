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
  int64_t source = 0, target = 0;
};

class Quiver {
public:
  // InputError for no vertices, beyond maximum_vertices or maximum_arrows, ends that are no vertices and
  // names that are given twice.
  Quiver(std::vector<std::string> vertices, std::vector<Arrow> arrows);

  int64_t vertexCount() const { return static_cast<int64_t>(vertices_.size()); }
  int64_t arrowCount() const { return static_cast<int64_t>(arrows_.size()); }
  const std::string &vertexName(int64_t vertex) const { return vertices_[vertex]; }
  const Arrow &arrow(int64_t number) const { return arrows_[number]; }
  // The numbers of the arrows that leave a vertex, ascending.
  const std::vector<int32_t> &leaving(int64_t vertex) const { return leaving_[vertex]; }

  // "a:1->2, b:2->3": reads back as the same quiver, vertices in the same order.
  std::string text() const;

  static constexpr int64_t maximum_vertices = int64_t{1} << 20;
  static constexpr int64_t maximum_arrows = int64_t{1} << 20;

private:
  std::vector<std::string> vertices_;
  std::vector<Arrow> arrows_;
  std::vector<std::vector<int32_t>> leaving_;
};

// The quiver of a graph: arrow i -> j is called "a<i>_<j>", as in its graph algebra. InputError beyond the
// limits.
Quiver quiverOfGraph(const Graph &graph);
// The complete graph, the path 0->1->...->n-1 and n vertices without arrows.
Quiver completeQuiver(int64_t n);
Quiver pathQuiver(int64_t n);
Quiver discreteQuiver(int64_t n);

} // namespace algebras
