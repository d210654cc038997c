// The local indices of a central simple algebra over a number field.
#pragma once

#include "algebras/linear/polynomial.h"
#include "algebras/structure/lattice.h"

#include <cstdint>
#include <string>
#include <vector>

namespace algebras {

// An order that is maximal at a prime, as rows, where a local index is not 1.
struct RamifiedPrime {
  uint64_t prime = 0;
  int64_t index = 1; // the least common multiple of those at the primes of the centre over it
  Matrix order;
};

// The index of an algebra M_d(D) of dimension degree^2 over its centre is degree / d; the local ones are
// those of its completions.
struct LocalIndices {
  // Their least common multiple: it divides the index, and is the index where `complete` (Albert, Brauer,
  // Hasse and Noether).
  int64_t common_multiple = 1;
  bool complete = true; // no prime is left out because it could not be found, or is beyond 62 bits
  std::string places;   // the indices that are not 1, for people: "2 at 3 and infinity"
  std::vector<RamifiedPrime> primes;
};

// `lattice` spans the algebra over Q and becomes an order, maximal wherever the indices were found. `center`:
// the irreducible polynomial of a generator of the centre K. The finite places are those over primes that
// divide the denominator or the discriminant of the lattice (maximal_order.h). At a real place of K the index
// is 1 or 2: the reduced trace form has signature degree or -degree there, and nothing at pairs of complex
// places, so that the signature of the trace form over Q tells how many real places there are of each kind.
LocalIndices localIndices(Lattice &lattice, const Matrix &one, const Polynomial &center, int64_t degree);

} // namespace algebras
