#include "algebras/structure/quiver_structure.h"

#include "algebras/poset/poset.h"
#include "algebras/quiver/bound_quiver.h"
#include "algebras/structure/table_structure.h"

#include <boost/pending/disjoint_sets.hpp>

#include <numeric>

namespace algebras {

namespace {

// Of a matrix-like algebra whose slots off the diagonal are nilpotent: a central element commutes with the
// idempotents, so that it is a combination of them, and with every slot (i,j), so that it has one coefficient
// at i and j.
int64_t connectedComponents(const Algebra &algebra) {
  int64_t n = algebra.positions(), components = n;
  std::vector<int64_t> rank(n), parent(n);
  std::iota(parent.begin(), parent.end(), 0);
  boost::disjoint_sets sets(rank.data(), parent.data());
  for (int64_t slot = 0; slot < algebra.dimension(); ++slot) {
    Position where = algebra.position(slot);
    int64_t left = sets.find_set(where.row), right = sets.find_set(where.column);
    if (left != right) {
      sets.link(left, right);
      --components;
    }
  }
  return components;
}

} // namespace

std::optional<Structure> quiverStructure(const Algebra &algebra) {
  const BoundQuiver &bound = *algebra.boundQuiver();
  bool expands = algebra.nonzeros() <= Algebra::expansion_limit;
  if (!bound.isGraded())
    return expands ? tableStructure(algebra.expand()) : std::nullopt;
  Structure result;
  for (int64_t slot = 0; slot < bound.basis().size(); ++slot) {
    auto length = static_cast<size_t>(bound.basis().path(slot).length);
    if (length >= result.layers.size())
      result.layers.resize(length + 1);
    ++result.layers[length];
  }
  result.components[1] = static_cast<int64_t>(bound.vertices().size());
  if (algebra.isMatrixLike())
    result.center_dimension = connectedComponents(algebra);
  else if (expands)
    result.center_dimension = centerDimension(algebra.expand());
  return result;
}

Structure incidenceStructure(const Algebra &algebra) {
  const Poset &poset = *algebra.poset();
  Structure result;
  result.layers = poset.pairsByLongestChain();
  result.components[1] = poset.size();
  result.center_dimension = poset.components();
  return result;
}

} // namespace algebras
