#include "algebras/graph/graph.h"

#include "algebras/error.h"
#include "algebras/graph/graph_storage.h"

#include <boost/pending/disjoint_sets.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace algebras {

namespace {

constexpr int64_t maximum_vertices = int64_t{1} << 20;
constexpr int64_t maximum_edges = int64_t{1} << 24;

void checkEdges(int64_t vertices, const std::vector<Graph::Edge> &sorted) {
  for (size_t index = 0; index < sorted.size(); ++index) {
    auto [source, target] = sorted[index];
    if (source < 0 || source >= vertices || target < 0 || target >= vertices)
      throw InputError(fmt::format("edge {} -> {}: the vertices are 0 to {}", source, target, vertices - 1));
    if (source == target)
      throw InputError(fmt::format("edge {} -> {} is a self-loop; a graph algebra has none", source, target));
    if (index > 0 && sorted[index - 1] == sorted[index])
      throw InputError(fmt::format("edge {} -> {} is given twice", source, target))
          .hint("remove one of the two");
  }
}

int64_t countWeakComponents(int64_t vertices, const std::vector<Graph::Edge> &edges) {
  std::vector<int64_t> rank(vertices), parent(vertices);
  std::iota(parent.begin(), parent.end(), 0);
  boost::disjoint_sets sets(rank.data(), parent.data());
  int64_t components = vertices;
  for (auto [source, target] : edges) {
    int64_t left = sets.find_set(source), right = sets.find_set(target);
    if (left != right) {
      sets.link(left, right);
      --components;
    }
  }
  return components;
}

} // namespace

Graph::Graph(std::shared_ptr<const Storage> storage) : storage_(std::move(storage)) {}

Graph makeGraph(int64_t vertices, std::vector<Graph::Edge> edges, std::vector<std::string> names) {
  if (vertices < 1)
    throw InputError("a graph needs at least one vertex");
  if (vertices > maximum_vertices || static_cast<int64_t>(edges.size()) > maximum_edges)
    throw InputError(fmt::format("a graph of {} vertices and {} edges is too large: the limits are {} and {}",
                                 vertices, edges.size(), maximum_vertices, maximum_edges))
        .hint("the complete graph of any size is Q(n)");
  if (!names.empty() && static_cast<int64_t>(names.size()) != vertices)
    throw InputError(fmt::format("{} vertex names for {} vertices", names.size(), vertices));
  std::sort(edges.begin(), edges.end());
  checkEdges(vertices, edges);

  auto storage = std::make_shared<Graph::Storage>();
  storage->graph = BoostGraph(edges.begin(), edges.end(), vertices);
  storage->edges_before.reserve(vertices + 1);
  storage->edges_before.push_back(0);
  for (int64_t vertex = 0; vertex < vertices; ++vertex)
    storage->edges_before.push_back(storage->edges_before.back() +
                                    static_cast<int64_t>(boost::out_degree(vertex, storage->graph)));
  storage->names = std::move(names);
  storage->weak_components = countWeakComponents(vertices, edges);
  return Graph(std::move(storage));
}

int64_t Graph::vertexCount() const { return static_cast<int64_t>(boost::num_vertices(storage_->graph)); }

int64_t Graph::edgeCount() const { return storage_->edges_before.back(); }

std::vector<Graph::Edge> Graph::edges() const {
  std::vector<Edge> result;
  result.reserve(edgeCount());
  for (int64_t source = 0; source < vertexCount(); ++source)
    for (int64_t target : successors(source))
      result.emplace_back(source, target);
  return result;
}

std::vector<int64_t> Graph::successors(int64_t vertex) const {
  auto [begin, end] = boost::adjacent_vertices(vertex, storage_->graph);
  return {begin, end};
}

int64_t Graph::successor(int64_t vertex, int64_t k) const {
  return static_cast<int64_t>(*(boost::adjacent_vertices(vertex, storage_->graph).first + k));
}

bool Graph::hasEdge(int64_t source, int64_t target) const {
  auto [begin, end] = boost::adjacent_vertices(source, storage_->graph);
  return std::binary_search(begin, end, static_cast<size_t>(target));
}

int64_t Graph::edgesBefore(int64_t vertex) const { return storage_->edges_before.at(vertex); }

std::string Graph::vertexName(int64_t vertex) const {
  return storage_->names.empty() ? fmt::format("{}", vertex) : storage_->names.at(vertex);
}

int64_t Graph::weakComponents() const { return storage_->weak_components; }

bool Graph::isComplete() const { return edgeCount() == vertexCount() * (vertexCount() - 1); }

std::string Graph::expression() const {
  std::string result = fmt::format("graph({};", vertexCount());
  const char *separator = " ";
  for (auto [source, target] : edges()) {
    result += fmt::format("{}{}->{}", separator, source, target);
    separator = ", ";
  }
  return result + ")";
}

} // namespace algebras
