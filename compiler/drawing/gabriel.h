// The picture of an algebra up to Morita equivalence: its Gabriel quiver.
#pragma once

#include "compiler/drawing/quiver.h"

namespace compiler {

// Vertices are the simple components of A/rad, those that are M(d) with d > 1 say so; i -> j has as many
// arrows as e_i (rad / rad^2) e_j has dimensions. Not drawn, with the reason as caption, where A/rad is not
// known to split over the ground field, there is too much of it, or A is not associative and unital.
Quiver gabrielQuiverOf(const algebras::Algebra &algebra);

// Whether quiverOf shows the same: of a graph algebra, every arrow is a slot.
bool isItsOwnGabrielQuiver(const algebras::Algebra &algebra);

} // namespace compiler
