// algctl cost on programs: what each step would take, and all together.
#pragma once

#include "compiler/pipeline/program_cost.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace compiler {

// The costs of a plan's programs, in its order.
std::string programCostText(const ProgramPlan &plan, const std::vector<ProgramCost> &costs);
nlohmann::ordered_json programCostJson(const ProgramPlan &plan, const std::vector<ProgramCost> &costs);

} // namespace compiler
