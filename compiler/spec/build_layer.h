// Puts what the user said about a layer together with an algebra.
#pragma once

#include "algebras/algebra.h"
#include "algebras/layer.h"
#include "compiler/spec/layer_fields.h"

namespace compiler {

// Throws algebras::InputError, at the place of the field that is at fault, for kinds that do not exist,
// widths that the groups do not cover or that no equal division fits, unknown types, lifts and schedules, and
// UsageError where a width is missing altogether.
algebras::Layer buildLayer(const algebras::Algebra &algebra, const LayerFields &fields);

} // namespace compiler
