// Decompositions that the basis itself shows: every slot is a matrix unit of A/rad, or lies in rad.
#pragma once

#include "algebras/structure/decomposition.h"

namespace algebras {

// Of a matrix-like algebra: positions i and j belong to one component when (i,j)(j,i) = (i,i). Costs the
// number of products. Nothing beyond Algebra::kExpansionLimit products.
std::optional<Decomposition> shownByPositions(const Algebra &algebra);

// Of a table, by table_structure.h; nothing where the basis does not show it.
std::optional<Decomposition> shownByTable(const Table &table);

// Into the order that Decomposition documents.
void sortComponents(Decomposition &decomposition);

} // namespace algebras
