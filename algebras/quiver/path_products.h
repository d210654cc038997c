// The structure constants of a path algebra modulo linear relations.
#pragma once

#include "algebras/quiver/completion.h"
#include "algebras/quiver/path_basis.h"
#include "algebras/table/table.h"

#include <vector>

namespace algebras {

// Path times arrow in normal form, and from there path times path, arrow by arrow. InputError beyond
// Algebra::kExpansionLimit constants, or pairs of paths.
Table pathProducts(const Quiver &quiver, const RewritingRules &rules, const PathBasis &basis,
                   const Field &field);

// std::logic_error unless the table is associative and the relations hold in it. Then it is the whole
// quotient: the quotient maps onto it, and has no more dimensions, because the paths of the basis span it.
void checkPathProducts(const Quiver &quiver, const std::vector<Relation> &relations,
                       const RewritingRules &rules, const PathBasis &basis, const Table &table);

} // namespace algebras
