// Quaternion algebras (a, b) over Q: i^2 = a, j^2 = b, i j = -j i.
#pragma once

#include "algebras/rational.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace algebras {

// value = squarefree * root^2 with a squarefree integer. Nothing when the numbers are too long to be factored
// (linear/integer_factors.h), or the squarefree one would be.
struct SquareClass {
  Rational squarefree, root;
};
std::optional<SquareClass> squareClass(const Rational &value); // not zero

// The places where (a, b) is ramified, for squarefree integers a and b: primes ascending, then "infinity".
// None exactly when it is M_2(Q); otherwise it is a division algebra, and their number is even (checked).
// Hilbert symbols (Serre, A Course in Arithmetic, III.1).
std::vector<std::string> ramifiedPlaces(const Rational &a, const Rational &b);

// x, y, z, not all zero, with x^2 = a y^2 + b z^2, for squarefree integers a and b such that (a, b) is not
// ramified anywhere. Lagrange's descent; the result is checked. Nothing when a number on the way is too long
// to be factored.
std::optional<std::array<Rational, 3>> solveConic(const Rational &a, const Rational &b);

} // namespace algebras
