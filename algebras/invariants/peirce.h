// The Gabriel quiver of an algebra, and the rest of its Peirce decomposition.
#pragma once

#include "algebras/algebra.h"
#include "algebras/invariants/matching.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace algebras {

// Of an associative unital algebra A whose quotient by its radical J is a product of full matrix algebras M_d
// over the ground field. Vertices are the simple components, with a primitive idempotent e_i for each; A is
// Morita equivalent to the basic algebra e A e, e = sum of the e_i, and determined by it and the d_i.
struct PeirceQuiver {
  using Pair = std::pair<int64_t, int64_t>;

  std::vector<int64_t> sizes;      // d_i: M_d has dimension d * d
  std::vector<std::string> labels; // for drawings: the vertex or slot that carries e_i where there is one
  // layers[s]: (i, j) -> dim e_i (J^s / J^(s+1)) e_j where that is not zero; the last one is not empty.
  // layers[0] has the pairs (i, i), layers[1] are the arrows i -> j of the Gabriel quiver with their numbers.
  std::vector<std::map<Pair, int64_t>> layers;

  int64_t vertexCount() const { return static_cast<int64_t>(sizes.size()); }
  const std::map<Pair, int64_t> &arrows() const;
  // dim e_i A e_j.
  std::map<Pair, int64_t> cartanMatrix() const;
  bool isBasic() const; // all d_i are 1
  int64_t basicDimension() const;
};

// What of the Peirce decomposition a bijection of the vertices has to respect, besides the sizes.
enum class PeirceDetail { Arrows, CartanMatrix, Layers };
Matching matchPeirce(const PeirceQuiver &left, const PeirceQuiver &right, PeirceDetail detail);

// Whether A is, up to Morita equivalence, the path algebra of its Gabriel quiver modulo all paths of
// `layers.size()` arrows: A is a quotient of the path algebra by relations between longer paths (Gabriel), so
// that this is so exactly when every layer has as many dimensions as there are paths. True of every algebra
// with rad^2 = 0, and of hereditary ones.
bool isTruncatedPathAlgebra(const PeirceQuiver &quiver);

// In closed form for quivers, posets and T(n), from the factors for products, and by primitiveIdempotents
// otherwise. Nothing where the quotient is not known to split, the algebra is too large, or not associative
// and unital.
std::optional<PeirceQuiver> peirceQuiver(const Algebra &algebra);

} // namespace algebras
