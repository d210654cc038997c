// algctl simulate on programs: every step on the simulator, one after the other, each beside its definition.
#pragma once

#include "compiler/pipeline/program_plan.h"
#include "compiler/schedule/targets.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace compiler {

struct ProgramSimulation {
  Target target = Target::Sm90a;
  int64_t m = 128, p0 = 0, blocks = 3;
  uint64_t seed = 1;
  int64_t seeds = 1;
  bool row_lists = false;    ///< products find rows in lists where their types follow from positions
  std::string schedule = {}; ///< of kernels of two layers; chosen by cost when empty
  int64_t experts = 0; ///< among which the rows are divided, as each seed has it; 0: one network has all
  double scale = 1;    ///< of the inputs' random numbers
};

struct SimulatedStep {
  std::string kernel, schedule;
  int64_t instructions = 0;
  /// Of all results and seeds: the L2 error relative to the result's, and the largest relative to the largest
  /// element.
  double relative_l2 = 0, max_relative = 0;
  double limit_l2 = 0, limit_max = 0; ///< what rounding leaves of them
};

struct SimulatedProgram {
  std::string program;
  std::vector<SimulatedStep> steps;
  /// Of the outputs beside the definition of the whole program.
  double relative_l2 = 0, limit_l2 = 0;
  int64_t listed_seeds = 0; ///< of which experts had their rows in lists
  std::string failure;      ///< empty where all went well
  uint64_t failed_seed = 0;
};

/// Each program of the plan for random operands, seed by seed until one fails. A step is given what the steps
/// before it have computed, and compared with the definition of its function for that. Throws as gpuProgram
/// does.
std::vector<SimulatedProgram> simulatePrograms(const ProgramPlan &plan, const ProgramSimulation &options);

std::string simulatedText(const std::vector<SimulatedProgram> &programs, const ProgramSimulation &options);
nlohmann::ordered_json simulatedJson(const std::vector<SimulatedProgram> &programs,
                                     const ProgramSimulation &options);

} // namespace compiler
