// algctl cost on programs: what each step would take, and all together.
#pragma once

#include "compiler/pipeline/program_plan.h"
#include "compiler/schedule/host_level.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace compiler {

struct StepCost {
  std::string kernel, computes; // the function's name, and what it does
  int64_t active_macs = 0, dense_macs = 0;
  double predicted_us = 0, floor_us = 0; // of the cheapest schedule; what bytes and arithmetic need at least
  std::string floor_by;
};

struct ProgramCost {
  std::string program, target, machine;
  int64_t m = 0;
  std::vector<StepCost> steps;
};

// Of every program of the plan, for m rows from position p0. Throws as rankMap does.
std::vector<ProgramCost> costOfPrograms(const ProgramPlan &plan, const std::string &target, int64_t m,
                                        int64_t p0, const CpuMachine &cpu);

std::string programCostText(const std::vector<ProgramCost> &costs);
nlohmann::ordered_json programCostJson(const std::vector<ProgramCost> &costs);

} // namespace compiler
