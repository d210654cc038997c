// Integral multiples: certificates have no fractions (docs/certificates.md, [1]).
#pragma once

#include "algebras/identity.h" // SparseVector
#include "algebras/table/table.h"

#include <span>

namespace algebras {

// The least positive integer that makes all of these integers.
Rational commonDenominator(std::span<const SparseVector> vectors);
Rational commonDenominator(const Table &table); // of its constants

SparseVector scaled(SparseVector vector, const Rational &factor); // by a factor that is not 0, over Q

// A positive multiple with coprime integral entries. Over Q; the zero vector stays.
SparseVector integralMultiple(const SparseVector &vector);

} // namespace algebras
