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
  int64_t size() const;
  bool isAtMost(int64_t lower, int64_t upper) const; // equality included
  // The elements above `element`, itself included, ascending by number.
  const std::vector<int64_t> &above(int64_t element) const;
  // {k : lower <= k <= upper}, ascending by number; empty where lower <= upper does not hold.
  std::vector<int64_t> interval(int64_t lower, int64_t upper) const;
  // Pairs i <= j, and triples i <= k <= j: dimension and products of the incidence algebra.
  int64_t pairs() const;
  int64_t triples() const;
  // The pairs i < j with nothing between them, sorted.
  const std::vector<Graph::Edge> &covers() const;
  std::string elementName(int64_t element) const;
  // Connected components of the comparability graph.
  int64_t components() const;
  // Layers of the radical of the incidence algebra: pairs[s] counts the i <= j whose longest chain has s
  // steps.
  const std::vector<int64_t> &pairsByLongestChain() const;

  // "poset(4; 0->1, 1->2)": the cover relations by number; parseExpression reads it back.
  std::string expression() const;

  struct Storage;
  explicit Poset(std::shared_ptr<const Storage> storage) : storage_(std::move(storage)) {}

  static constexpr int64_t maximum_size = 4096; // its closure takes up to 64 MB

private:
  std::shared_ptr<const Storage> storage_;
};

// The reflexive and transitive closure of an acyclic relation. InputError that names the elements of a cycle
// where there is one, and beyond maximum_size elements.
Poset closeTransitively(const Graph &relation);

} // namespace algebras
