// The ways to build an algebra. Each throws InputError for n < 1 and where dimension or nonzeros leave 64
// bits.
#pragma once

#include "algebras/algebra.h"
#include "algebras/poset/poset.h"
#include "algebras/quiver/relation.h"

namespace algebras {

Algebra completeGraph(int64_t n, Field field = {});  // Q(n), paper eqs. q-product-diag and q-product-off
Algebra graphAlgebra(Graph graph, Field field = {}); // Q_G, paper eq. graph-basis-products
Algebra path(int64_t n, Field field = {});           // the graph algebra of 0->1->...->n-1
Algebra coordinates(int64_t n, Field field = {});    // D(n), coordinate-wise
Algebra matrices(int64_t n, Field field = {});       // M(n), all n x n matrices
Algebra triangular(int64_t n, Field field = {});     // T(n), upper triangular matrices
Algebra tableAlgebra(Table table);                   // any product, associative or not
// The path algebra of a quiver modulo relations; errors as quiver/bound_quiver.h says.
Algebra quiverAlgebra(Quiver quiver, std::vector<Relation> relations, Field field = {});
// Modulo all paths of `below` arrows. `notation` is how the quiver is written in an expression: "Q(3)".
Algebra pathAlgebra(Quiver quiver, int64_t below, std::string notation, Field field = {});
Algebra incidenceAlgebra(Poset poset, Field field = {});

// InputError when the factors have different fields. Dimensions multiply; nested products are flattened.
Algebra tensor(const Algebra &left, const Algebra &right);
// 1 <= exponent <= 64.
Algebra power(const Algebra &base, int64_t exponent);
// Dimensions add; nested products are flattened.
Algebra directProduct(const Algebra &left, const Algebra &right);

} // namespace algebras
