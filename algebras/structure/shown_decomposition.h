// Decompositions of matrix-like algebras: every slot is a matrix unit of A/rad, or lies in rad.
#pragma once

#include "algebras/structure/decomposition.h"

namespace algebras {

// Of a matrix-like algebra: positions i and j belong to one component when (i,j)(j,i) = (i,i). Costs the
// number of products. Nothing beyond Algebra::kExpansionLimit products.
std::optional<Decomposition> shownByPositions(const Algebra &algebra);

// Into the order that Decomposition documents.
void sortComponents(Decomposition &decomposition);

} // namespace algebras
