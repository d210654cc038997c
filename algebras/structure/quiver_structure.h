// The structure of bound quiver algebras and incidence algebras.
#pragma once

#include "algebras/structure/structure.h"

#include <optional>

namespace algebras {

// Of Kind::Quiver. Where the relations are homogeneous (graded by the length of paths) the paths with arrows
// span a nilpotent ideal whose s-th power is spanned by those of s arrows and more, and the vertices its
// quotient F^n: that ideal is the radical. Otherwise as for a table.
std::optional<Structure> quiverStructure(const Algebra &algebra);

// Of Kind::Incidence: rad is spanned by the pairs i < j, rad^s by those with a chain of s steps between them.
Structure incidenceStructure(const Algebra &algebra);

} // namespace algebras
