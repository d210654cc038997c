// Puts what the user said about a program together with an algebra.
#pragma once

#include "algebras/algebra.h"
#include "compiler/spec/program_fields.h"
#include "compiler/spec/swiglu.h"

namespace compiler {

// Throws algebras::InputError, at the place of the field that is at fault, for kinds that do not exist,
// widths that the groups do not cover or that no equal division fits, unknown types, activations, lifts and
// schedules, and UsageError where a width is missing altogether.
Swiglu buildSwigluProgram(const algebras::Algebra &algebra, const ProgramFields &fields);

} // namespace compiler
