// Numbers and shapes that isomorphic algebras share.
#pragma once

#include "algebras/facts.h"
#include "algebras/invariants/peirce.h"
#include "algebras/structure/decomposition.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace algebras {

// What a simple component is up to isomorphism, as far as it is known.
struct ComponentType {
  int64_t dimension = 0;
  int64_t center_degree = 0;
  std::optional<int64_t> matrix_degree;
  std::vector<Rational>
      center_polynomial;     // of one generator of the centre; another generator has another one
  std::string local_indices; // of its division algebra, as in SimpleComponent

  // M_d of its centre: then dimension, degree and the centre say everything.
  bool isSplitOverCenter() const {
    return matrix_degree && *matrix_degree * *matrix_degree * center_degree == dimension;
  }
};

// Of the ring of elements that commute with all.
struct CenterInvariants {
  int64_t dimension = 0;
  std::vector<int64_t> radical_series; // ending with 0
  std::vector<ComponentType> components;
};

// The elements x with J x = 0, or x J = 0, for the radical J.
struct AnnihilatorDimensions {
  int64_t right = 0, left = 0;
};

// An empty optional: not known, or without meaning.
struct Invariants {
  Facts facts;
  std::optional<std::vector<ComponentType>>
      components; // sorted by (dimension, degree of the centre, matrix degree)
  std::optional<CenterInvariants> center;
  std::optional<AnnihilatorDimensions> annihilators;
  std::optional<PeirceQuiver> peirce; // where A/rad splits over the ground field
};

// Dense linear algebra (components, centre, annihilators) up to this dimension.
constexpr int64_t largest_measured = 128;

Invariants measure(const Algebra &algebra);

} // namespace algebras
