// The order of vertices that the numbering of slots rests on.
#pragma once

#include "algebras/graph/graph.h"

#include <string>
#include <vector>

namespace algebras {

// The order of vertices whose names come in the order of their first mention: result[k] is the place, in
// `names`, of the vertex that becomes number k. Kept, or sorted as integers when all names are integers.
std::vector<int64_t> vertexOrder(const std::vector<std::string> &names);

// A graph from names in the order in which a file first names them: kept, or sorted as integers when all are
// integers. `edges` refer to that first order.
Graph makeNamedGraph(std::vector<std::string> names, std::vector<Graph::Edge> edges);

} // namespace algebras
