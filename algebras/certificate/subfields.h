// Subfields of a number field.
#pragma once

#include "algebras/linear/polynomial.h"

#include <functional>

namespace algebras {

// Offers generators of proper subfields of Q[z]/(f), other than Q, as polynomials in z, until `take` says
// that it takes one. f: monic, irreducible, integral. They are the fields of the h with h(a) = h(b) for two
// roots a and b of f (all subfields are intersections of those: van Hoeij, Klüners and Novocin). Modulo a
// power of a prime at which f has all its roots such h form a lattice, where LLL finds them; the degree of
// each is computed exactly. Some may be missed: with a closure of large degree, beyond degree 64, or where
// coefficients are longer than those that are tried.
void offerSubfields(const Polynomial &f, const std::function<bool(const Polynomial &)> &take);

// The minimal polynomial over Q of h(z), if its degree is `degree`; else nothing.
std::optional<Polynomial> minimalPolynomialOfDegree(const Polynomial &f, const Polynomial &h, int64_t degree);

} // namespace algebras
