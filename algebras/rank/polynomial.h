// Dense polynomials in one variable over the ground field, for short ones.
#pragma once

#include "algebras/field.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace algebras::rank {

// Lowest degree first, no zero at the end: zero is empty. Coefficients are canonical elements of the field.
using Polynomial = std::vector<Rational>;

std::int64_t degree(const Polynomial &f); // -1 for zero
Polynomial monomial(std::int64_t degree);
Polynomial add(const Field &field, const Polynomial &f, const Polynomial &g);
Polynomial scale(const Field &field, const Rational &factor, const Polynomial &f);
Polynomial multiply(const Field &field, const Polynomial &f, const Polynomial &g);
Polynomial power(const Field &field, const Polynomial &f, std::int64_t exponent);
// Quotient and remainder; g is not zero.
std::pair<Polynomial, Polynomial> divide(const Field &field, const Polynomial &f, const Polynomial &g);
Polynomial remainder(const Field &field, const Polynomial &f, const Polynomial &g);
// h with h f = 1 modulo g, for coprime f and g.
Polynomial inverseModulo(const Field &field, const Polynomial &f, const Polynomial &g);

// The monic irreducible factors of f, which is not zero, with their multiplicities; in a fixed order: by
// degree, then by coefficients.
std::vector<std::pair<Polynomial, std::int64_t>> factor(const Field &field, const Polynomial &f);

// The monic irreducible polynomials of a degree over GF(p), in a fixed order, at most `most`; p^degree is to
// be small.
std::vector<Polynomial> irreducibles(const Field &field, std::int64_t degree, std::size_t most);

} // namespace algebras::rank
