#include "algebras/quiver/quiver.h"

#include "algebras/error.h"
#include "algebras/graph/vertex_order.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

namespace algebras {

namespace {

void requireSizes(__int128 vertices, __int128 arrows) {
  if (vertices > Quiver::maximum_vertices || arrows > Quiver::maximum_arrows)
    throw InputError(fmt::format("a quiver has at most {} vertices and {} arrows", Quiver::maximum_vertices,
                                 Quiver::maximum_arrows))
        .hint("take fewer vertices");
}

std::vector<std::string> numbers(int64_t n) {
  std::vector<std::string> names;
  for (int64_t vertex = 0; vertex < n; ++vertex)
    names.push_back(fmt::format("{}", vertex));
  return names;
}

Arrow edge(const std::vector<std::string> &names, int64_t source, int64_t target) {
  return {fmt::format("a{}_{}", names[source], names[target]), source, target};
}

} // namespace

Quiver::Quiver(std::vector<std::string> vertices, std::vector<Arrow> arrows)
    : vertices_(std::move(vertices)), arrows_(std::move(arrows)) {
  if (vertices_.empty())
    throw InputError("a quiver needs at least one vertex");
  requireSizes(static_cast<__int128>(vertices_.size()), static_cast<__int128>(arrows_.size()));
  leaving_.resize(vertices_.size());
  std::unordered_set<std::string> names;
  for (size_t number = 0; number < arrows_.size(); ++number) {
    const Arrow &arrow = arrows_[number];
    for (int64_t end : {arrow.source, arrow.target})
      if (end < 0 || end >= vertexCount())
        throw InputError(fmt::format("arrow {}: the vertices are 0 to {}", arrow.name, vertexCount() - 1));
    if (!names.insert(arrow.name).second)
      throw InputError(fmt::format("two arrows are called {}", arrow.name));
    leaving_[arrow.source].push_back(static_cast<int32_t>(number));
  }
}

std::string Quiver::text() const {
  // Vertices keep the order of their first mention: those that the arrows would name too late, or never, are
  // named before.
  std::vector<std::string> mentioned;
  std::unordered_set<std::string> seen;
  for (const Arrow &arrow : arrows_)
    for (int64_t end : {arrow.source, arrow.target})
      if (seen.insert(vertices_[end]).second)
        mentioned.push_back(vertices_[end]);
  std::vector<std::string> in_order(mentioned.size());
  std::vector<int64_t> order = vertexOrder(mentioned);
  for (size_t index = 0; index < order.size(); ++index)
    in_order[index] = mentioned[order[index]];
  std::vector<std::string> items;
  if (in_order != vertices_)
    items = vertices_;
  for (const Arrow &arrow : arrows_)
    items.push_back(fmt::format("{}:{}->{}", arrow.name, vertices_[arrow.source], vertices_[arrow.target]));
  return fmt::format("{}", fmt::join(items, ", "));
}

Quiver quiverOfGraph(const Graph &graph) {
  requireSizes(graph.vertexCount(), graph.edgeCount());
  std::vector<std::string> names;
  for (int64_t vertex = 0; vertex < graph.vertexCount(); ++vertex)
    names.push_back(graph.vertexName(vertex));
  std::vector<Arrow> arrows;
  std::vector<std::string> called = numbers(graph.vertexCount()); // names of files may hold anything
  for (auto [source, target] : graph.edges())
    arrows.push_back(edge(called, source, target));
  return Quiver(std::move(names), std::move(arrows));
}

Quiver completeQuiver(int64_t n) {
  requireSizes(n, static_cast<__int128>(n) * (n - 1));
  std::vector<std::string> names = numbers(n);
  std::vector<Arrow> arrows;
  for (int64_t source = 0; source < n; ++source)
    for (int64_t target = 0; target < n; ++target)
      if (source != target)
        arrows.push_back(edge(names, source, target));
  return Quiver(std::move(names), std::move(arrows));
}

Quiver pathQuiver(int64_t n) {
  requireSizes(n, n - 1);
  std::vector<std::string> names = numbers(n);
  std::vector<Arrow> arrows;
  for (int64_t source = 0; source + 1 < n; ++source)
    arrows.push_back(edge(names, source, source + 1));
  return Quiver(std::move(names), std::move(arrows));
}

Quiver discreteQuiver(int64_t n) {
  requireSizes(n, 0);
  return Quiver(numbers(n), {});
}

} // namespace algebras
