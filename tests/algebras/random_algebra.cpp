#include "tests/algebras/random_algebra.h"

#include <fmt/format.h>

namespace testing_support {

using algebras::Algebra;

algebras::Graph randomGraph(std::mt19937 &random, int64_t most_vertices) {
  int64_t vertices = 1 + static_cast<int64_t>(random() % most_vertices);
  uint32_t density = random() % 100;
  std::vector<algebras::Graph::Edge> edges;
  for (int64_t source = 0; source < vertices; ++source)
    for (int64_t target = 0; target < vertices; ++target)
      if (source != target && random() % 100 < density)
        edges.emplace_back(source, target);
  return algebras::makeGraph(vertices, edges);
}

namespace {

Algebra randomLeaf(std::mt19937 &random, algebras::Field field) {
  int64_t n = 1 + static_cast<int64_t>(random() % 4);
  switch (random() % 8) {
  case 0:
    return algebras::completeGraph(n, field);
  case 1:
    return algebras::path(n, field);
  case 2:
    return algebras::coordinates(n, field);
  case 3:
    return algebras::matrices(n, field);
  case 4:
    return algebras::triangular(n, field);
  case 5: {
    std::vector<algebras::Graph::Edge> edges; // from smaller to larger numbers, or all the other way round
    bool down = random() % 2;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = i + 1; j < n; ++j)
        if (random() % 2)
          edges.emplace_back(down ? j : i, down ? i : j);
    return algebras::incidenceAlgebra(algebras::closeTransitively(algebras::makeGraph(n, edges)), field);
  }
  case 6:
    return algebras::pathAlgebra(algebras::pathQuiver(n), 1 + static_cast<int64_t>(random() % 4),
                                 fmt::format("path({})", n), field);
  default:
    return algebras::graphAlgebra(randomGraph(random, 4), field);
  }
}

} // namespace

Algebra randomAlgebra(std::mt19937 &random, int64_t most_dimension, algebras::Field field) {
  Algebra result = randomLeaf(random, field);
  for (int step = static_cast<int>(random() % 4); step > 0; --step) {
    Algebra other = randomLeaf(random, field);
    bool left = random() % 2;
    if (random() % 2) {
      if (result.dimension() * other.dimension() <= most_dimension)
        result = left ? tensor(result, other) : tensor(other, result);
    } else if (result.dimension() + other.dimension() <= most_dimension) {
      result = left ? directProduct(result, other) : directProduct(other, result);
    }
  }
  return result;
}

} // namespace testing_support
