#include "algebras/poset/poset.h"

#include "algebras/error.h"

#include <boost/dynamic_bitset.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace algebras {

namespace {

using Bits = boost::dynamic_bitset<>;

// Children before their parents, by depth-first search; throws with the cycle where there is one.
std::vector<int64_t> sortTopologically(const Graph &graph) {
  enum class Colour : char { White, Grey, Black };
  int64_t n = graph.vertexCount();
  std::vector<Colour> colours(n, Colour::White);
  std::vector<int64_t> order;
  struct Visit {
    int64_t vertex, next;
  };
  std::vector<Visit> stack;
  auto out_degree = [&](int64_t vertex) { return graph.edgesBefore(vertex + 1) - graph.edgesBefore(vertex); };
  for (int64_t root = 0; root < n; ++root) {
    if (colours[root] != Colour::White)
      continue;
    colours[root] = Colour::Grey;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      Visit &top = stack.back();
      if (top.next == out_degree(top.vertex)) {
        colours[top.vertex] = Colour::Black;
        order.push_back(top.vertex);
        stack.pop_back();
        continue;
      }
      int64_t next = graph.successor(top.vertex, top.next++);
      if (colours[next] == Colour::Grey) {
        auto visit =
            std::find_if(stack.begin(), stack.end(), [&](const Visit &v) { return v.vertex == next; });
        constexpr ptrdiff_t spelled_out = 20; // elements
        auto end = stack.end() - visit > spelled_out ? visit + spelled_out : stack.end();
        std::string cycle;
        for (; visit != end; ++visit)
          cycle += graph.vertexName(visit->vertex) + " -> ";
        if (end != stack.end())
          cycle += fmt::format("... ({} more) -> ", stack.end() - end);
        throw InputError(fmt::format("this relation is no partial order: it has the cycle {}{}", cycle,
                                     graph.vertexName(next)))
            .hint("a poset needs a relation without cycles; algebras of graphs with cycles are graph(...), "
                  "path_algebra(...) and quiver(...)");
      }
      if (colours[next] == Colour::White) {
        colours[next] = Colour::Grey;
        stack.push_back({next, 0});
      }
    }
  }
  return order;
}

} // namespace

struct Poset::Storage {
  std::vector<Bits> above, below; // of every element, itself included
  std::vector<std::vector<int64_t>> above_lists;
  std::vector<Graph::Edge> covers;
  std::vector<std::string> names;
  std::vector<int64_t> pairs_by_chain;
  int64_t pairs = 0, triples = 0, components = 0;
};

Poset closeTransitively(const Graph &relation) {
  int64_t n = relation.vertexCount();
  if (n > Poset::maximum_size)
    throw InputError(
        fmt::format("a poset of {} elements is too large: the limit is {}", n, Poset::maximum_size))
        .hint("the chain of any length is T(n)");
  std::vector<int64_t> order = sortTopologically(relation);
  auto storage = std::make_shared<Poset::Storage>();
  storage->above.assign(n, Bits(n));
  storage->below.assign(n, Bits(n));
  storage->above_lists.resize(n);
  for (int64_t element : order) {
    Bits &own = storage->above[element];
    own.set(element);
    for (int64_t successor : relation.successors(element))
      own |= storage->above[successor];
  }
  for (int64_t i = 0; i < n; ++i) {
    storage->names.push_back(relation.vertexName(i));
    for (size_t j = storage->above[i].find_first(); j != Bits::npos; j = storage->above[i].find_next(j)) {
      storage->above_lists[i].push_back(static_cast<int64_t>(j));
      storage->below[j].set(i);
    }
    storage->pairs += static_cast<int64_t>(storage->above_lists[i].size());
  }

  // A pair i < j covers when its interval has two elements. The longest chain from i, by an order in which
  // lower elements come first.
  std::vector<int64_t> place(n), chain(n);
  for (int64_t index = 0; index < n; ++index)
    place[order[index]] = n - 1 - index;
  for (int64_t i = 0; i < n; ++i) {
    std::vector<int64_t> upward = storage->above_lists[i];
    for (int64_t j : upward) {
      int64_t between = static_cast<int64_t>((storage->above[i] & storage->below[j]).count());
      storage->triples += between;
      if (between == 2)
        storage->covers.emplace_back(i, j);
    }
  }
  std::vector<std::vector<int64_t>> covered_by(n);
  for (auto [lower, upper] : storage->covers)
    covered_by[lower].push_back(upper);
  for (int64_t i = 0; i < n; ++i) {
    std::vector<int64_t> upward = storage->above_lists[i];
    std::sort(upward.begin(), upward.end(), [&](auto a, auto b) { return place[a] < place[b]; });
    for (int64_t j : upward)
      chain[j] = 0;
    for (int64_t j : upward) {
      if (static_cast<size_t>(chain[j]) >= storage->pairs_by_chain.size())
        storage->pairs_by_chain.resize(chain[j] + 1);
      ++storage->pairs_by_chain[chain[j]];
      for (int64_t next : covered_by[j])
        chain[next] = std::max(chain[next], chain[j] + 1);
    }
  }
  storage->components = relation.weakComponents();
  return Poset(std::move(storage));
}

int64_t Poset::size() const { return static_cast<int64_t>(storage_->above.size()); }
bool Poset::isAtMost(int64_t lower, int64_t upper) const { return storage_->above[lower].test(upper); }
const std::vector<int64_t> &Poset::above(int64_t element) const { return storage_->above_lists[element]; }
int64_t Poset::pairs() const { return storage_->pairs; }
int64_t Poset::triples() const { return storage_->triples; }
const std::vector<Graph::Edge> &Poset::covers() const { return storage_->covers; }
std::string Poset::elementName(int64_t element) const { return storage_->names[element]; }
int64_t Poset::components() const { return storage_->components; }
const std::vector<int64_t> &Poset::pairsByLongestChain() const { return storage_->pairs_by_chain; }

std::vector<int64_t> Poset::interval(int64_t lower, int64_t upper) const {
  std::vector<int64_t> result;
  if (!isAtMost(lower, upper))
    return result;
  Bits between = storage_->above[lower] & storage_->below[upper];
  for (size_t k = between.find_first(); k != Bits::npos; k = between.find_next(k))
    result.push_back(static_cast<int64_t>(k));
  return result;
}

std::string Poset::expression() const {
  std::string result = fmt::format("poset({};", size());
  const char *separator = " ";
  for (auto [lower, upper] : covers()) {
    result += fmt::format("{}{}->{}", separator, lower, upper);
    separator = ", ";
  }
  return result + ")";
}

} // namespace algebras
