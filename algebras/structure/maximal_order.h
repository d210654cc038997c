// Orders in a central simple algebra over a number field that are maximal at a prime, and its local indices.
#pragma once

#include "algebras/structure/lattice.h"

#include <cstdint>
#include <vector>

namespace algebras {

// Makes a lattice that contains `one` an order: Z one + d L, where d is the denominator of its constants.
void makeOrder(Lattice &lattice, const Matrix &one);

// Enlarges an order until it is maximal at p, a prime below 2^62. While the left order of the radical of the
// order modulo p is larger, that is taken; then the order is hereditary at p (Auslander and Goldman), and
// maximal where the left orders of its maximal ideals over p are no larger (Ivanyos and Ronyai, 1993).
//
// The algebra is central simple over a field K, of dimension degree^2. Returned are its local indices at the
// primes of K over p, one for each: a maximal order modulo its radical has a component M_(degree/m)(F) for
// each of them, where m is the index and F a finite field.
std::vector<int64_t> maximizeAt(Lattice &order, uint64_t p, int64_t degree);

} // namespace algebras
