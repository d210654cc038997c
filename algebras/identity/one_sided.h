// Left and right identities of algebras that have no two-sided one.
#pragma once

#include "algebras/algebra.h"
#include "algebras/identity.h"

#include <optional>

namespace algebras {

// As findLeftIdentity and findRightIdentity (identity.h) for a table, and factor by factor for products: with
// u x = x for all x of A x B, and a form f of B with f(y) = 1, x -> x f(y) turns u into a left identity of A,
// so that a product has one exactly when all factors have one. Nothing also where it would be longer than
// 2^20.
std::optional<SparseVector> leftIdentity(const Algebra &algebra);
std::optional<SparseVector> rightIdentity(const Algebra &algebra);

} // namespace algebras
