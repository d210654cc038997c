// Telling apart the fields F[x]/(f) for irreducible f.
#pragma once

#include "algebras/linear/polynomial.h"

#include <optional>

namespace algebras {

// Whether F[x]/(f) and F[x]/(g) are isomorphic over F, for monic irreducible f and g. Over GF(p) the degrees
// decide. Over Q: yes where f = g, or both are linear, or both quadratic with discriminants that differ by a
// square; no where the degrees differ, or some prime that is unramified splits differently in the two.
// Otherwise nothing.
std::optional<bool> sameField(const Field &field, const Polynomial &f, const Polynomial &g);

} // namespace algebras
