// The Boost graph behind Graph. Kept apart so that Boost's headers are parsed in few places.
#pragma once

#include "algebras/graph/graph.h"

#include <boost/graph/adjacency_list.hpp>

namespace algebras {

using BoostGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

struct Graph::Storage {
  BoostGraph graph;                  // out-edges of every vertex in ascending order of their targets
  std::vector<int64_t> edges_before; // vertexCount + 1 running sums of out-degrees
  std::vector<std::string> names;    // empty: the vertices are called by their indices
  int64_t weak_components = 0;
};

} // namespace algebras
