// Layers that no machine could hold or that f32 could not compute are refused before anything is allocated
// for them.
#pragma once

#include "algebras/layer.h"

namespace compiler {

/// Throws Failure or algebras::InputError that says what is too large, or too small.
void requireFeasible(const algebras::Layer &layer);

} // namespace compiler
