// Programs of specs and of bundles for people and for machines: signatures, and steps by the kernels that do
// them.
#pragma once

#include "compiler/pipeline/program_plan.h"
#include "runtime/bundle/bundle.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace compiler {

// "forward of Q(4) 256 -> 32, bf16": what a step computes.
std::string stepText(const ProgramPlan &plan, const algrt::ProgramStep &step);

std::string programsText(const ProgramPlan &plan);
// Signature and steps of one program of a bundle.
std::string programText(const algrt::Program &program, const algrt::Bundle &bundle);

nlohmann::ordered_json programsJson(const ProgramPlan &plan);

} // namespace compiler
