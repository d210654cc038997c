// Why a polynomial over Q is irreducible, in a form that is easy to check (docs/certificates.md, [8]).
#pragma once

#include "algebras/linear/polynomial.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace algebras {

// For a monic irreducible polynomial with integral coefficients, of degree at least two. {"modulo": q} for a
// prime q, or
// {"at": n, "cofactor": d} with what proves that a value is prime. Nothing when the search for such a value
// gives up.
std::optional<nlohmann::ordered_json> irreducibilityReason(const Polynomial &polynomial);

// The generator z' = (z - a) / c of the same field with small coefficients, as a and c, and its polynomial.
struct SmallGenerator {
  Rational shift, scale;
  Polynomial polynomial;
};
SmallGenerator smallGenerator(const Polynomial &polynomial);

} // namespace algebras
