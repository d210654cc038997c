// The primitive idempotents of a commutative semisimple algebra: one for each field that it is a product of.
#pragma once

#include "algebras/linear/polynomial.h"
#include "algebras/linear/subspace.h"
#include "algebras/structure/product_operator.h"

#include <vector>

namespace algebras {

struct CentralField {
  Matrix idempotent;
  Matrix generator;      // z = e z; the field is F[z]
  Polynomial polynomial; // the minimal polynomial of z in it: monic, irreducible, x - 1 with z = e for a
                         // field of degree one
};

// The centre of a semisimple algebra, taken apart. Over Q, and where GF(p) is large enough, some z has a
// minimal polynomial of full degree: its factors are the fields, and the idempotents polynomials in z. Such a
// z is looked for at random and known by its degree. Otherwise by the elements with z^p = z, which are
// GF(p)^t and are taken apart by the eigenvalues of a basis of them; that needs no luck.
std::vector<CentralField> centralFields(const ProductOperator &product, const Subspace &center,
                                        const Matrix &one);

} // namespace algebras
