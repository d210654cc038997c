// Radical, simple components and centre, from the construction.
#pragma once

#include "algebras/algebra.h"
#include "algebras/structure/decomposition.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace algebras {

// What a simple factor of A/rad is, up to what is known of it.
struct SimpleKind {
  // M_d(F) over the ground field F, where `dimension` is the square d^2.
  SimpleKind(int64_t dimension);
  SimpleKind() : SimpleKind(1) {}
  explicit SimpleKind(const SimpleComponent &component);

  int64_t dimension = 1;
  std::optional<int64_t> matrix_degree; // d, where it is known to be M_d(D) for a division algebra D
  // The centre is F[x]/(center_polynomial); empty for F itself.
  std::vector<Rational> center_polynomial;
  std::string division_reason; // as in SimpleComponent

  int64_t centerDimension() const;
  // Of D, where it is known.
  std::optional<int64_t> divisionDimension() const;
  // Whether it is M_d(F).
  bool isSplit() const { return matrix_degree && *matrix_degree * *matrix_degree == dimension; }
  auto operator<=>(const SimpleKind &) const = default; // by dimension first
};

// What shows a structure: the construction, in closed form; the slots of a table, which are units or lie in
// the radical; linear algebra.
enum class StructureSource { Construction, Slots, LinearAlgebra };

// Of an associative unital algebra.
struct Structure {
  // dim rad^s / rad^(s+1) for s = 0, 1, ...; the last one is not zero.
  std::vector<int64_t> layers;
  // Each simple factor of A/rad -> how many there are. Each gives one maximal two-sided ideal.
  std::map<SimpleKind, int64_t> components;
  // Nothing where it would need linear algebra that is too large.
  std::optional<int64_t> center_dimension;
  StructureSource source =
      StructureSource::Construction; // of products: the last of their factors' in this order

  int64_t maximalIdeals() const;
  int64_t radicalDimension() const;
  std::vector<int64_t> radicalSeries() const; // dim rad, rad^2, ..., ending with 0
};

// Of an associative unital algebra, which is not checked. In closed form:
// - graph algebras: rad = [edges], rad^2 = 0, quotient F^V (paper, prop. structure); an element commutes with
// every vertex only
//   when it has no edges, and with every edge only when it is constant along it: the centre counts weak
//   components;
// - T(n): rad^s is spanned by the units with j - i >= s; the centre is F;
// - direct products: everything adds up;
// - tensor products: Q and GF(p) are perfect, so that rad(A x B) = rad A x B + A x rad B, and the layers
// convolve; centres multiply; a component M_d(F) of one factor makes M_e(D) of the other M_de(D). Two
// components that do not split multiply to something new (Q(i) x Q(i) has two components): then the table is
// written out and examined;
// - tables: table_structure.h; quivers with relations and posets: quiver_structure.h.
// Nothing for tables that neither show their structure nor are small enough (dense_decomposition.h), and for
// radical series longer than 2^20.
std::optional<Structure> deriveStructure(const Algebra &algebra);

} // namespace algebras
