// Why the last polynomial of a tower is irreducible: primes (docs/certificates.md, [8]).
#pragma once

#include "algebras/rational.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace algebras {

// Monic with integral coefficients in the monomials of the field before, by exponent * their number +
// monomial.
using TowerPolynomial = std::vector<Rational>;

// [{"modulo", "roots", "factors"}, ...] with one prime at which the polynomial stays irreducible; where there
// is none and `several` is set, with primes at which the degrees of its factors do not fit together. Nothing
// where neither was found among small primes.
std::optional<nlohmann::ordered_json> irreducibilityPrimes(const std::vector<TowerPolynomial> &tower,
                                                           bool several);

} // namespace algebras
