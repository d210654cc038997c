// DOT files through Boost's reader, which is given a normal form and whose vertices are put back into the
// file's order.
#include "algebras/error.h"
#include "algebras/graph/dot_normal_form.h"
#include "algebras/graph/graph.h"
#include "algebras/graph/vertex_order.h"
#include "algebras/read_file.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <fmt/format.h>

#include <set>

namespace algebras {

namespace {

struct NamedVertex {
  std::string name;
};
using ReadGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, NamedVertex>;

ReadGraph readThroughBoost(const std::string &normal_form, const std::string &file) {
  ReadGraph graph;
  boost::dynamic_properties properties(boost::ignore_other_properties);
  properties.property("node_id", boost::get(&NamedVertex::name, graph));
  try {
    boost::read_graphviz(normal_form, graph, properties, "node_id");
  } catch (const boost::bad_graphviz_syntax &error) {
    // Its message ends with the token as our normal form spells it, which would mislead.
    std::string message = error.what();
    message = message.substr(0, message.find(" (token is"));
    throw InputError(fmt::format("not a DOT graph: {}", message), SourceLocation{file, 0, 0, {}})
        .hint("every statement of a digraph is an edge 'a -> b', a vertex 'a', a subgraph or an attribute, "
              "and braces close");
  } catch (const boost::graph_exception &error) {
    throw InputError(fmt::format("not a DOT graph: {}", error.what()), SourceLocation{file, 0, 0, {}});
  }
  return graph;
}

// Where the edge is written for the last time; only the file where it comes from a subgraph.
SourceLocation placeOf(const DotNormalForm &form, Graph::Edge edge, std::string_view content,
                       const std::string &file) {
  auto place = form.edge_places.find(edge);
  if (place == form.edge_places.end())
    return SourceLocation{file, 0, 0, {}};
  return locate(content, place->second.back(), file);
}

} // namespace

Graph parseDot(std::string_view text, const std::string &file) {
  DotNormalForm form = normalizeDot(tokenizeDot(text, file), text, file);
  ReadGraph read = readThroughBoost(form.text, file);
  if (form.names.empty())
    throw InputError("a graph without vertices", SourceLocation{file, 0, 0, {}})
        .hint("name at least one vertex, as in 'digraph { a -> b }'");

  std::vector<Graph::Edge> edges;
  std::set<Graph::Edge> seen;
  auto index = [&](auto vertex) { return std::stoll(read[vertex].name); };
  for (auto [edge, end] = boost::edges(read); edge != end; ++edge) {
    Graph::Edge pair{index(boost::source(*edge, read)), index(boost::target(*edge, read))};
    const std::string &source = form.names[pair.first], &target = form.names[pair.second];
    if (pair.first == pair.second)
      throw InputError(fmt::format("edge {} -> {} is a self-loop; a graph algebra has none", source, target),
                       placeOf(form, pair, text, file))
          .hint("leave it out: every vertex has its idempotent already");
    if (!seen.insert(pair).second)
      throw InputError(fmt::format("edge {} -> {} is given twice", source, target),
                       placeOf(form, pair, text, file))
          .hint("remove one of the two, or write 'strict digraph' to merge them");
    edges.push_back(pair);
  }
  return makeNamedGraph(std::move(form.names), std::move(edges));
}

Graph readDotFile(const std::string &path) { return parseDot(readInputFile(path), path); }

} // namespace algebras
