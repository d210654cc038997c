// Pictures of graphs, which Graphviz draws.
#pragma once

#include <optional>
#include <string>

namespace compiler {

/// The <svg> element that Graphviz's program dot, found in PATH, makes of a graph in its language, without an
/// XML header and without identifiers, so that several fit into one HTML page. Nothing where there is no such
/// program. Throws Failure with what it says where it does not draw the graph.
std::optional<std::string> drawByGraphviz(const std::string &dot);

} // namespace compiler
