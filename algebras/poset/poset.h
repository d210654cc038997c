// Finite partially ordered sets: the shape of an incidence algebra.
#pragma once

#include "algebras/graph/graph.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace algebras {

// An immutable value; copies share the relation.
class Poset {
public:
  std::int64_t size() const;
  bool isAtMost(std::int64_t lower, std::int64_t upper) const; // equality included
  // The elements above `element`, itself included, ascending by number.
  const std::vector<std::int64_t> &above(std::int64_t element) const;
  // {k : lower <= k <= upper}, ascending by number; empty where lower <= upper does not hold.
  std::vector<std::int64_t> interval(std::int64_t lower, std::int64_t upper) const;
  // Pairs i <= j, and triples i <= k <= j: dimension and products of the incidence algebra.
  std::int64_t pairs() const;
  std::int64_t triples() const;
  // The pairs i < j with nothing between them, sorted.
  const std::vector<Graph::Edge> &covers() const;
  std::string elementName(std::int64_t element) const;
  // Connected components of the comparability graph.
  std::int64_t components() const;
  // Layers of the radical of the incidence algebra: pairs[s] counts the i <= j whose longest chain has s
  // steps.
  const std::vector<std::int64_t> &pairsByLongestChain() const;

  // "poset(4; 0->1, 1->2)": the cover relations by number; parseExpression reads it back.
  std::string expression() const;

  struct Storage;
  explicit Poset(std::shared_ptr<const Storage> storage) : storage_(std::move(storage)) {}

  static constexpr std::int64_t kMaximumSize = 4096; // its closure takes up to 64 MB

private:
  std::shared_ptr<const Storage> storage_;
};

// The reflexive and transitive closure of an acyclic relation. InputError that names the elements of a cycle
// where there is one, and beyond kMaximumSize elements.
Poset closeTransitively(const Graph &relation);

} // namespace algebras
