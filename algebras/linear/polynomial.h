// Polynomials in one variable over Q or GF(p), as canonical coefficients, lowest degree first, without
// leading zeros: zero is empty, its degree -1.
#pragma once

#include "algebras/field.h"
#include "algebras/rational.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace algebras {

using Polynomial = std::vector<Rational>;

inline int64_t degree(const Polynomial &polynomial) { return static_cast<int64_t>(polynomial.size()) - 1; }

struct PolynomialFactor {
  Polynomial factor; // monic, irreducible
  int64_t multiplicity = 1;
};

// The irreducible factors of a polynomial that is not constant, ascending by degree, then by coefficients.
// Over Q proved by Zassenhaus and van Hoeij's lifting, over GF(p) by Cantor and Zassenhaus, whose random
// choices decide the time alone.
std::vector<PolynomialFactor> factor(const Field &field, const Polynomial &polynomial);

Polynomial monomial(int64_t degree);
Polynomial add(const Field &field, const Polynomial &left, const Polynomial &right);
Polynomial scale(const Field &field, const Rational &factor, const Polynomial &polynomial);
Polynomial multiply(const Field &field, const Polynomial &left, const Polynomial &right);
Polynomial power(const Field &field, const Polynomial &base, int64_t exponent);
// Quotient and remainder; right is not zero.
std::pair<Polynomial, Polynomial> divide(const Field &field, const Polynomial &left, const Polynomial &right);
Polynomial remainder(const Field &field, const Polynomial &left, const Polynomial &right);
// std::logic_error where there is a remainder.
Polynomial divideExactly(const Field &field, const Polynomial &left, const Polynomial &right);
// The h of degree below deg(f g) with h = 1 modulo f and h = 0 modulo g, for coprime f and g.
Polynomial idempotent(const Field &field, const Polynomial &f, const Polynomial &g);

// The monic irreducible polynomials of a degree over GF(p), in a fixed order, at most `most`; p^degree is to
// be small.
std::vector<Polynomial> irreducibles(const Field &field, int64_t degree, size_t most);

// How many real roots a polynomial over Q without multiple factors has.
int64_t realRoots(const Polynomial &polynomial);

// "x^2 - 2", "x^3 + 1/2x".
std::string toString(const Polynomial &polynomial);

} // namespace algebras
