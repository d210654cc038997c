// The structure of an associative unital algebra, with the elements that prove it.
#pragma once

#include "algebras/algebra.h"
#include "algebras/identity.h" // SparseVector

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// A simple factor of A/rad. Its elements are given by representatives in A: what is said of them holds modulo
// rad A.
struct SimpleComponent {
  int64_t dimension = 0;   // over the ground field
  SparseVector idempotent; // e: central modulo rad; the idempotents of all components add up to 1
  SparseVector
      center_generator; // z = e z: the centre of this component is F[z] = F[x]/(center_polynomial), a field
  // Monic and irreducible, lowest degree first; its degree is the dimension of the centre. x - 1 with z = e
  // for a central component.
  std::vector<Rational> center_polynomial;
  // d, where the component is known to be M_d(D) for a division algebra D; nothing where that is not decided.
  std::optional<int64_t> matrix_degree;
  // d*d matrix units E_ab, row-major, that add up to e on the diagonal; empty where d is not decided, or d
  // = 1.
  std::vector<SparseVector> matrix_units;
  // Why D is a division algebra when dim D > its centre's, for people ("ramified at 2 and infinity"); else
  // empty.
  std::string division_reason;
  // The local indices of D that are not 1, "2 at 3, infinity": the same for isomorphic algebras. Empty for
  // fields, and where not all are known.
  std::string local_indices;
};

struct Decomposition {
  // Bases of rad, rad^2, ...; the last one is not empty. No entry when A is semisimple. Each basis extends to
  // one of A; vectors are in reduced echelon form (leading entries 1, ascending leading slots).
  std::vector<std::vector<SparseVector>> radical_powers;
  std::vector<SimpleComponent> components; // ascending by dimension, then by least slot of the idempotent
  std::optional<int64_t> center_dimension; // of A itself
};

// Nothing where it would need linear algebra that is too large (says kLargestDense), or A is not associative
// and unital (then a std::logic_error).
std::optional<Decomposition> decompose(const Algebra &algebra);

// Elements that are, modulo the radical, orthogonal idempotents with sum 1: to such ones of A itself.
std::vector<SparseVector> liftIdempotents(const Table &table, const SparseVector &one,
                                          const std::vector<SparseVector> &orthogonal);

// Lifts the diagonal matrix units of all components that are split over the ground field to primitive
// orthogonal idempotents of A that add up to 1. Nothing where some component is not known to split.
std::optional<std::vector<SparseVector>> primitiveIdempotents(const Algebra &algebra,
                                                              const Decomposition &decomposition);

} // namespace algebras
