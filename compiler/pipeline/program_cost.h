// What programs are predicted to take, step by step. Plain C++ like pipeline.h.
#pragma once

#include "compiler/pipeline/program_plan.h"
#include "compiler/schedule/host_level.h"

#include <cstdint>
#include <string>
#include <vector>

namespace compiler {

struct StepCost {
  std::string kernel; ///< the function's name
  int64_t active_macs = 0, dense_macs = 0;
  double predicted_us = 0,
         floor_us = 0; ///< of the cheapest schedule; what bytes and arithmetic need at least
  std::string floor_by;
  double grouping_us = 0; ///< of what is predicted: making the list of rows by type
  /// On a GPU: the kernel waits for the one before it by itself, and may begin before that has ended. Not
  /// counted for experts.
  bool waits = false;
};

struct ProgramCost {
  std::string program, target, machine;
  int64_t m = 0;
  int64_t experts = 0;         ///< that the rows are divided among; 0: one network has all
  std::vector<StepCost> steps; ///< as the program has them

  double predicted() const;
  double floor() const;
};

/// Of every program of the plan, for m rows from position p0, perhaps divided among experts. Throws as
/// rankMap and predictExperts do.
std::vector<ProgramCost> costOfPrograms(const ProgramPlan &plan, const std::string &target, int64_t m,
                                        int64_t p0, const CpuMachine &cpu, int64_t experts = 0);

} // namespace compiler
