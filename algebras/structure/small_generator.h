// Generators of number fields with small minimal polynomials, for people.
#pragma once

#include "algebras/structure/central_idempotents.h"

namespace algebras {

// The same field over Q with a generator whose minimal polynomial is integral and has small coefficients: x^2
// - D with squarefree D for a quadratic field where D can be factored; otherwise the best of a few short
// elements, moved by integers and divided by what its coefficients allow. They are short in an order that a
// basis of the field generates, reduced (lattice.h), so that the basis does not matter; in fields of degree
// above 16 in the lattice of the basis itself. `field` has degree at least two; `own` is the field as a
// subspace of the algebra.
CentralField withSmallGenerator(const ProductOperator &product, CentralField field, const Subspace &own);

} // namespace algebras
