// The schedules of a program's kernels on a GPU, ranked by what they would cost.
#pragma once

#include "compiler/pipeline/program_plan.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace compiler {

// What the schedules are of.
struct ProgramSchedulesView {
  std::string target; // a GPU's
  int64_t m = 0, most = 10;
  int64_t experts = 0; // that the rows are divided among; 0: there is one network
};

// Of each kernel of products that steps have, in their order; of two layers those of both kinds of kernels.
// Throws algebras::InputError as rankMap does.
std::string programSchedulesText(const ProgramPlan &plan, const ProgramSchedulesView &view);
nlohmann::ordered_json programSchedulesJson(const ProgramPlan &plan, const ProgramSchedulesView &view);

} // namespace compiler
