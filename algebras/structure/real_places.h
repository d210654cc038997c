// Signs of elements of a number field at its real places, without approximations.
#pragma once

#include "algebras/linear/subspace.h"
#include "algebras/structure/product_operator.h"

namespace algebras {

// Positive minus negative eigenvalues of a symmetric matrix over Q: its characteristic polynomial has real
// roots alone, so that their signs follow from Descartes' rule.
int64_t signature(const Matrix &symmetric);

// The number of real places of a field K at which a and b are both negative. With q_g(x) = Tr(g x^2), a form
// over Q, a real place contributes the sign of g to the signature of q_g, and a pair of complex places
// nothing; so the number is (sig q_1 - sig q_a - sig q_b + sig q_ab) / 4 (Hermite). `field`: K as a subspace,
// closed under the product; a, b not zero.
int64_t negativeRealPlaces(const ProductOperator &product, const Subspace &field, const Matrix &a,
                           const Matrix &b);

} // namespace algebras
