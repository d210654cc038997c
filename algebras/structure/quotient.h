// Centre, subalgebras and quotients, by linear algebra.
#pragma once

#include "algebras/linear/subspace.h"
#include "algebras/structure/product_operator.h"

namespace algebras {

// The elements that commute with `generators`, which generate the algebra: its centre.
Subspace center(const ProductOperator &product, const Matrix &generators);

// The product of A/ideal in the slots that are no pivots of the ideal: its basis are their images.
Table quotientTable(const ProductOperator &product, const Subspace &ideal);

// The product of a subspace that is closed under it, in its reduced echelon basis.
Table subalgebraTable(const ProductOperator &product, const Subspace &subalgebra);

} // namespace algebras
