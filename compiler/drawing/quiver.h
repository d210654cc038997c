// Quivers as graphs to draw; that of a matrix-like algebra: positions are vertices, slots off the diagonal
// are arrows.
#pragma once

#include "algebras/algebra.h"

#include <cstdint>
#include <string>
#include <vector>

namespace compiler {

struct Arrow {
  int64_t from = 0, to = 0;
  int64_t products =
      0; // terms of this slot, |B(from, to)|; of a Gabriel quiver, how many arrows it stands for
};

struct Quiver {
  std::vector<std::string> labels; // of the vertices; those of a tensor product are "0,1"
  std::vector<int64_t> row_types;  // of the vertices
  std::vector<Arrow> arrows;       // by (from, to)
  // Arrows with this number are not labelled with it; 0: all are.
  int64_t unlabelled = 0;
  std::string caption; // what is drawn, or why nothing is
  bool drawn() const { return !labels.empty(); }
};

// More vertices than this are not drawn: nothing could be told apart.
constexpr int64_t largest_drawing = 96;

// With more vertices, two bent arrows for every pair of opposite ones are a thicket: they become one line
// without heads, and the caption says so.
constexpr int64_t most_bent_pairs = 12;

// For a graph algebra the vertices and edges of the graph; for other matrix-like algebras the positions and
// every slot (i,j) with i != j. An algebra given by a table has no such picture, and `caption` says so.
Quiver quiverOf(const algebras::Algebra &algebra);

// In the language of Graphviz: vertices on a circle, coloured as their row types are (palette.h), arrows as
// the vertices that they come from. Other layouts of dense graphs take Graphviz minutes.
std::string toDot(const Quiver &quiver, const std::string &name);

} // namespace compiler
