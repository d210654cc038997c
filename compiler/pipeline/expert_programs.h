// Programs whose rows a call divides among experts, each with weights of its own.
#pragma once

#include "compiler/pipeline/program_plan.h"

namespace compiler {

/// Throws algebras::InputError where rows of some program cannot be divided, or where a step of it has no
/// kernel for that on a target.
void requireExperts(const ProgramPlan &plan, const CompileOptions &options);

} // namespace compiler
