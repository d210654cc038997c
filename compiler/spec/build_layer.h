// Puts what the user said about a layer together with an algebra.
#pragma once

#include "algebras/algebra.h"
#include "algebras/layer.h"
#include "compiler/spec/layer_fields.h"

namespace compiler {

// What a message calls the section of the fields and the widths of its two sides.
struct LayerWords {
  const char *section = "layer", *in = "in", *out = "out";
};

// Throws algebras::InputError, at the place of the field that is at fault, for kinds that do not exist,
// widths that the groups do not cover or that no equal division fits, unknown types, lifts and schedules, and
// UsageError where a width is missing altogether.
algebras::Layer buildLayer(const algebras::Algebra &algebra, const LayerFields &fields,
                           const LayerWords &words = {});

} // namespace compiler
