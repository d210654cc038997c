// Finite directed graphs without self-loops and multiple edges: the shape of a graph algebra (paper, sec.
// algebras).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace algebras {

// An immutable value; copies share one boost::adjacency_list.
class Graph {
public:
  using Edge = std::pair<int64_t, int64_t>; // source, target

  int64_t vertexCount() const;
  int64_t edgeCount() const;
  std::vector<Edge> edges() const; // sorted by (source, target)
  // Targets of the edges that leave `vertex`, ascending.
  std::vector<int64_t> successors(int64_t vertex) const;
  bool hasEdge(int64_t source, int64_t target) const; // logarithmic in the out-degree
  // Number of edges whose source is smaller than `vertex`, for 0 <= vertex <= vertexCount(). Constant time.
  int64_t edgesBefore(int64_t vertex) const;
  // The k-th successor of `vertex`, 0 <= k < edgesBefore(vertex + 1) - edgesBefore(vertex). Constant time.
  int64_t successor(int64_t vertex, int64_t k) const;
  // The name in the file, or the index in decimal.
  std::string vertexName(int64_t vertex) const;
  // Connected components of the graph with directions forgotten, isolated vertices included.
  int64_t weakComponents() const;
  bool isComplete() const;

  // "graph(3; 0->1, 1->2)": self-contained, by index; parseExpression reads it back.
  std::string expression() const;

  struct Storage; // graph_storage.h
  explicit Graph(std::shared_ptr<const Storage> storage);

private:
  std::shared_ptr<const Storage> storage_;
};

// At most 2^20 vertices and 2^24 edges (complete graphs of any size are Q(n)). InputError for no vertices, an
// edge that leaves the range, a self-loop, a double edge, or a number of names that is neither 0 nor
// `vertices`.
Graph makeGraph(int64_t vertices, std::vector<Graph::Edge> edges, std::vector<std::string> names = {});

// Files, read through Boost.Graph. Vertices keep the order in which the file first names them; when all names
// are integers they are sorted as integers. Undirected graphs, self-loops, multiple edges and nested GraphML
// graphs are refused.
Graph readDotFile(const std::string &path);
Graph readGraphmlFile(const std::string &path);
// By extension: .dot and .gv, .graphml and .xml.
Graph readGraphFile(const std::string &path);
Graph parseDot(std::string_view text, const std::string &file);
Graph parseGraphml(std::string_view text, const std::string &file);

} // namespace algebras
