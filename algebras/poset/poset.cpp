#include "algebras/poset/poset.h"

#include "algebras/error.h"

#include <boost/dynamic_bitset.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace algebras {

namespace {

using Bits = boost::dynamic_bitset<>;

// Children before their parents, by depth-first search; throws with the cycle where there is one.
std::vector<std::int64_t> sortTopologically(const Graph &graph) {
  enum class Colour : char { White, Grey, Black };
  std::int64_t n = graph.vertexCount();
  std::vector<Colour> colours(n, Colour::White);
  std::vector<std::int64_t> order;
  struct Visit {
    std::int64_t vertex, next;
  };
  std::vector<Visit> stack;
  auto outDegree = [&](std::int64_t vertex) {
    return graph.edgesBefore(vertex + 1) - graph.edgesBefore(vertex);
  };
  for (std::int64_t root = 0; root < n; ++root) {
    if (colours[root] != Colour::White)
      continue;
    colours[root] = Colour::Grey;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      Visit &top = stack.back();
      if (top.next == outDegree(top.vertex)) {
        colours[top.vertex] = Colour::Black;
        order.push_back(top.vertex);
        stack.pop_back();
        continue;
      }
      std::int64_t next = graph.successor(top.vertex, top.next++);
      if (colours[next] == Colour::Grey) {
        auto visit =
            std::find_if(stack.begin(), stack.end(), [&](const Visit &v) { return v.vertex == next; });
        constexpr std::ptrdiff_t kSpelledOut = 20; // elements
        auto end = stack.end() - visit > kSpelledOut ? visit + kSpelledOut : stack.end();
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
  std::vector<std::vector<std::int64_t>> above_lists;
  std::vector<Graph::Edge> covers;
  std::vector<std::string> names;
  std::vector<std::int64_t> pairs_by_chain;
  std::int64_t pairs = 0, triples = 0, components = 0;
};

Poset closeTransitively(const Graph &relation) {
  std::int64_t n = relation.vertexCount();
  if (n > Poset::kMaximumSize)
    throw InputError(
        fmt::format("a poset of {} elements is too large: the limit is {}", n, Poset::kMaximumSize))
        .hint("the chain of any length is T(n)");
  std::vector<std::int64_t> order = sortTopologically(relation);
  auto storage = std::make_shared<Poset::Storage>();
  storage->above.assign(n, Bits(n));
  storage->below.assign(n, Bits(n));
  storage->above_lists.resize(n);
  for (std::int64_t element : order) {
    Bits &own = storage->above[element];
    own.set(element);
    for (std::int64_t successor : relation.successors(element))
      own |= storage->above[successor];
  }
  for (std::int64_t i = 0; i < n; ++i) {
    storage->names.push_back(relation.vertexName(i));
    for (std::size_t j = storage->above[i].find_first(); j != Bits::npos;
         j = storage->above[i].find_next(j)) {
      storage->above_lists[i].push_back(static_cast<std::int64_t>(j));
      storage->below[j].set(i);
    }
    storage->pairs += static_cast<std::int64_t>(storage->above_lists[i].size());
  }

  // A pair i < j covers when its interval has two elements. The longest chain from i, by an order in which
  // lower elements come first.
  std::vector<std::int64_t> place(n), chain(n);
  for (std::int64_t index = 0; index < n; ++index)
    place[order[index]] = n - 1 - index;
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<std::int64_t> upward = storage->above_lists[i];
    for (std::int64_t j : upward) {
      std::int64_t between = static_cast<std::int64_t>((storage->above[i] & storage->below[j]).count());
      storage->triples += between;
      if (between == 2)
        storage->covers.emplace_back(i, j);
    }
  }
  std::vector<std::vector<std::int64_t>> covered_by(n);
  for (auto [lower, upper] : storage->covers)
    covered_by[lower].push_back(upper);
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<std::int64_t> upward = storage->above_lists[i];
    std::sort(upward.begin(), upward.end(), [&](auto a, auto b) { return place[a] < place[b]; });
    for (std::int64_t j : upward)
      chain[j] = 0;
    for (std::int64_t j : upward) {
      if (static_cast<std::size_t>(chain[j]) >= storage->pairs_by_chain.size())
        storage->pairs_by_chain.resize(chain[j] + 1);
      ++storage->pairs_by_chain[chain[j]];
      for (std::int64_t next : covered_by[j])
        chain[next] = std::max(chain[next], chain[j] + 1);
    }
  }
  storage->components = relation.weakComponents();
  return Poset(std::move(storage));
}

std::int64_t Poset::size() const { return static_cast<std::int64_t>(storage_->above.size()); }
bool Poset::isAtMost(std::int64_t lower, std::int64_t upper) const {
  return storage_->above[lower].test(upper);
}
const std::vector<std::int64_t> &Poset::above(std::int64_t element) const {
  return storage_->above_lists[element];
}
std::int64_t Poset::pairs() const { return storage_->pairs; }
std::int64_t Poset::triples() const { return storage_->triples; }
const std::vector<Graph::Edge> &Poset::covers() const { return storage_->covers; }
std::string Poset::elementName(std::int64_t element) const { return storage_->names[element]; }
std::int64_t Poset::components() const { return storage_->components; }
const std::vector<std::int64_t> &Poset::pairsByLongestChain() const { return storage_->pairs_by_chain; }

std::vector<std::int64_t> Poset::interval(std::int64_t lower, std::int64_t upper) const {
  std::vector<std::int64_t> result;
  if (!isAtMost(lower, upper))
    return result;
  Bits between = storage_->above[lower] & storage_->below[upper];
  for (std::size_t k = between.find_first(); k != Bits::npos; k = between.find_next(k))
    result.push_back(static_cast<std::int64_t>(k));
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
