// A spec's programs for people and for machines: signatures, and steps by the kernels that do them.
#pragma once

#include "compiler/program_plan.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace compiler {

// "forward of Q(4) 256 -> 32, bf16": what a step computes.
std::string stepText(const ProgramPlan &plan, const algrt::ProgramStep &step);

std::string programsText(const ProgramPlan &plan);
nlohmann::ordered_json programsJson(const ProgramPlan &plan);

} // namespace compiler
