// Layers that no machine could hold or that f32 could not compute are refused before anything is allocated
// for them.
#ifndef ALGCTL_COMPILER_FEASIBILITY_H
#define ALGCTL_COMPILER_FEASIBILITY_H

#include "algebras/layer.h"

namespace compiler {

/// Throws Failure or algebras::InputError that says what is too large, or too small.
void requireFeasible(const algebras::Layer &layer);

} // namespace compiler

#endif
