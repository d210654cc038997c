// GraphML through Boost's property tree. Boost's own read_graphml forgets the names of vertices, invents
// undeclared ones and refuses the data keys that drawing tools write.
#include "algebras/error.h"
#include "algebras/graph/graph.h"
#include "algebras/graph/vertex_order.h"
#include "algebras/read_file.h"

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace algebras {

namespace {

using boost::property_tree::ptree;

constexpr int maximum_element_depth = 100; // the XML reader recurses

[[noreturn]] void fail(const std::string &file, std::string message, std::string hint = {}) {
  throw InputError(std::move(message), SourceLocation{file, 0, 0, {}}).hint(std::move(hint));
}

// Elements that are open at once, never undercounted: a '/' before '>' may close one, anything else inside
// '<...>' opens one.
void boundDepth(std::string_view text, const std::string &file) {
  int depth = 0;
  for (size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    if (text.substr(at, 4) == "<!--") {
      at = std::min(text.find("-->", at + 4), text.size());
      continue;
    }
    if (text.substr(at, 9) == "<![CDATA[") {
      at = std::min(text.find("]]>", at + 9), text.size());
      continue;
    }
    char next = at + 1 < text.size() ? text[at + 1] : '\0';
    size_t end = at + 1;
    // A '>' inside an attribute value does not end the element.
    for (char quote = '\0'; end < text.size() && (quote || text[end] != '>'); ++end)
      if (quote ? text[end] == quote : text[end] == '"' || text[end] == '\'')
        quote = quote ? '\0' : text[end];
    bool closed = end < text.size() && text[end - 1] == '/';
    if (next == '/')
      depth = std::max(depth - 1, 0);
    else if (next != '!' && next != '?' && !closed && ++depth > maximum_element_depth)
      throw InputError(fmt::format("elements nested deeper than {}", maximum_element_depth),
                       locate(text, at, file));
    at = end;
  }
}

ptree readXml(std::string_view text, const std::string &file) {
  boundDepth(text, file);
  std::istringstream stream{std::string(text)};
  ptree tree;
  try {
    boost::property_tree::read_xml(stream, tree);
  } catch (const boost::property_tree::xml_parser_error &error) {
    SourceLocation where{file, static_cast<int64_t>(error.line()), 1, {}};
    std::istringstream lines{std::string(text)};
    for (int64_t line = 0; line < where.line; ++line)
      if (!std::getline(lines, where.text))
        where.text.clear();
    throw InputError(fmt::format("not well-formed XML: {}", error.message()), where);
  }
  return tree;
}

std::string attribute(const ptree &element, const std::string &name) {
  auto attributes = element.get_child_optional("<xmlattr>");
  auto value = attributes ? attributes->get_child_optional(name) : boost::optional<const ptree &>();
  return value ? value->data() : std::string();
}

const ptree &onlyGraph(const ptree &tree, const std::string &file) {
  auto document = tree.find("graphml");
  if (document == tree.not_found())
    fail(file, "not GraphML: there is no <graphml> element");
  if (document->second.count("graph") != 1)
    fail(file, fmt::format("{} <graph> elements; exactly one is needed", document->second.count("graph")));
  return document->second.find("graph")->second;
}

} // namespace

Graph parseGraphml(std::string_view text, const std::string &file) {
  ptree tree = readXml(text, file);
  const ptree &graph = onlyGraph(tree, file);
  std::string direction = attribute(graph, "edgedefault");
  const std::string write_directed = "write edgedefault=\"directed\" in the <graph> element";
  if (direction == "undirected")
    fail(file, "an undirected graph; a graph algebra needs directions", write_directed);
  if (direction != "directed")
    fail(file, "the <graph> element does not say whether edges are directed", write_directed);

  std::vector<std::string> names;
  std::map<std::string, int64_t> vertices;
  for (const auto &[tag, element] : graph) {
    if (tag == "hyperedge")
      fail(file, "hyperedges are not edges of a directed graph");
    if (tag != "node")
      continue;
    std::string id = attribute(element, "id");
    if (id.empty())
      fail(file, fmt::format("node number {} has no id", names.size() + 1));
    if (!vertices.try_emplace(id, static_cast<int64_t>(names.size())).second)
      fail(file, fmt::format("node {} is declared twice", id));
    if (element.count("graph"))
      fail(file, fmt::format("node {} holds a nested graph; only flat graphs are read", id));
    names.push_back(id);
  }
  if (names.empty())
    fail(file, "a graph without vertices", "declare at least one <node id=\"...\"/>");

  std::vector<Graph::Edge> edges;
  std::set<Graph::Edge> seen;
  for (const auto &[tag, element] : graph) {
    if (tag != "edge")
      continue;
    std::string source = attribute(element, "source"), target = attribute(element, "target");
    if (source.empty() || target.empty())
      fail(file,
           fmt::format("edge number {} has no {}", edges.size() + 1, source.empty() ? "source" : "target"),
           "write <edge source=\"a\" target=\"b\"/>");
    for (const std::string &end : {source, target})
      if (!vertices.contains(end))
        fail(file, fmt::format("edge {} -> {}: there is no node '{}'", source, target, end));
    if (std::string own = attribute(element, "directed"); own == "false")
      fail(file,
           fmt::format("edge {} -> {} is undirected; a graph algebra needs directions", source, target));
    if (source == target)
      fail(file, fmt::format("edge {} -> {} is a self-loop; a graph algebra has none", source, target),
           "leave it out: every vertex has its idempotent already");
    Graph::Edge edge{vertices[source], vertices[target]};
    if (!seen.insert(edge).second)
      fail(file, fmt::format("edge {} -> {} is given twice", source, target), "remove one of the two");
    edges.push_back(edge);
  }
  return makeNamedGraph(std::move(names), std::move(edges));
}

Graph readGraphmlFile(const std::string &path) { return parseGraphml(readInputFile(path), path); }

Graph readGraphFile(const std::string &path) {
  if (path.ends_with(".dot") || path.ends_with(".gv"))
    return readDotFile(path);
  if (path.ends_with(".graphml") || path.ends_with(".xml"))
    return readGraphmlFile(path);
  fail(path, "a graph file is told by its ending",
       "name it .dot or .gv for DOT, .graphml or .xml for GraphML");
}

} // namespace algebras
