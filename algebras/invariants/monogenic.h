// Commutative algebras that one element generates: F[x]/(f).
#pragma once

#include "algebras/identity.h" // SparseVector
#include "algebras/linear/polynomial.h"
#include "algebras/table/table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

struct Monogenic {
  SparseVector generator;
  Polynomial polynomial;                 // the minimal polynomial of the generator, of degree dim A
  std::vector<PolynomialFactor> factors; // of it
};

// Tries the slots and small combinations of them: a generator is proved by the degree of its minimal
// polynomial, nothing proves nothing. Of an associative commutative table with this identity, up to
// kLargestMeasured.
std::optional<Monogenic> findGenerator(const Table &table, const SparseVector &identity);

// A = prod F[x]/(p^m), and F[x]/(p^m) = K[t]/(t^m) with K = F[x]/(p), because Q and GF(p) are perfect: so the
// fields K with their m say everything. Nothing where the fields are not told apart.
std::optional<bool> areIsomorphic(const Field &field, const Monogenic &left, const Monogenic &right);

} // namespace algebras
