// Sums of sparse vectors.
#pragma once

#include "algebras/field.h"
#include "algebras/identity.h" // SparseVector

namespace algebras {

// a x + b y, reduced into the field.
SparseVector combine(const Field &field, const Rational &a, const SparseVector &x, const Rational &b,
                     const SparseVector &y);

} // namespace algebras
