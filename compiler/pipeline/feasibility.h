// Layers that no machine could hold or that f32 could not compute are refused before anything is allocated
// for them.
#pragma once

#include "algebras/layer.h"
#include "compiler/bundle/kernel_source.h"

namespace compiler {

/// Throws algebras::InputError that says what is too large, or too small.
void requireFeasible(const algebras::Layer &layer);
/// The same at the place in the spec, where there is one; that of a product in a file is for atPlaceOf.
void requireFeasible(const KernelSource &source);

} // namespace compiler
