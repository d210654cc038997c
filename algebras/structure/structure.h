// Radical, simple components and centre, from the construction.
#pragma once

#include "algebras/algebra.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace algebras {

// Of an associative unital algebra whose quotient by its radical is a product of full matrix algebras over
// the ground field.
struct Structure {
  // dim rad^s / rad^(s+1) for s = 0, 1, ...; the last one is not zero.
  std::vector<std::int64_t> layers;
  // Dimension of a simple factor of A/rad -> how many there are. Each gives one maximal two-sided ideal.
  std::map<std::int64_t, std::int64_t> components;
  // Nothing where it would need linear algebra that is too large.
  std::optional<std::int64_t> center_dimension;

  std::int64_t maximalIdeals() const;
  std::int64_t radicalDimension() const;
  std::vector<std::int64_t> radicalSeries() const; // dim rad, rad^2, ..., ending with 0
};

// In closed form:
// - graph algebras: rad = [edges], rad^2 = 0, quotient F^V (paper, prop. structure); an element commutes with
// every vertex only
//   when it has no edges, and with every edge only when it is constant along it: the centre counts weak
//   components;
// - T(n): rad^s is spanned by the units with j - i >= s; the centre is F;
// - direct products: everything adds up;
// - tensor products: rad(A x B) = rad A x B + A x rad B because the quotients split, so the layers convolve,
// components and
//   centres multiply;
// - tables: table_structure.h.
// Nothing for algebras that do not show their structure, and for radical series longer than 2^20.
std::optional<Structure> deriveStructure(const Algebra &algebra);

} // namespace algebras
