// Number fields as towers whose polynomials are shown to be irreducible (docs/certificates.md, [8]).
#pragma once

#include "algebras/certificate/tower_primes.h"
#include "algebras/linear/polynomial.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace algebras {

struct TowerStep {
  Rational factor;            // the generator of the step is this multiple of the one that was asked for
  TowerPolynomial polynomial; // of that multiple
  nlohmann::ordered_json primes;
};

// Generators w_1, ..., w_h = z of Q[z]/(f), as polynomials in z, such that each stays, or is shown to be,
// irreducible over the field of those before it: by one prime where there is one, else over subfields, else
// by degrees of factors. Nothing where none of that was found. f: monic, irreducible, integral, of degree at
// least two.
std::optional<std::vector<Polynomial>> fieldTower(const Polynomial &f);

// The tower of these generators, which are made integral over each other; nothing where no reason is found
// for a step.
std::optional<std::vector<TowerStep>> towerSteps(const Polynomial &f,
                                                 const std::vector<Polynomial> &generators);

// The generator z' = (z - a) / c of the same field with small coefficients, as a and c, and its polynomial.
struct SmallGenerator {
  Rational shift, scale;
  Polynomial polynomial;
};
SmallGenerator smallGenerator(const Polynomial &polynomial);

} // namespace algebras
