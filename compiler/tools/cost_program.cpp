#include "compiler/tools/cost_program.h"

#include "compiler/tools/expert_division.h"
#include "compiler/tools/program_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace compiler {

std::string programCostText(const ProgramPlan &plan, const std::vector<ProgramCost> &costs) {
  std::string text;
  for (size_t number = 0; number < costs.size(); ++number) {
    const ProgramCost &program = costs[number];
    text +=
        fmt::format("{}{}, M = {}{}, on {}: predicted for {}\n", text.empty() ? "" : "\n", program.program,
                    program.m, dividedText(program.experts), program.target, program.machine);
    size_t wide = 4;
    for (const StepCost &step : program.steps)
      wide = std::max(wide, step.kernel.size());
    text += fmt::format("  {:<{}}  {:>10}  {:>10}  {:>12}  {:>10}  {:<10}  computes\n", "step", wide,
                        "active GMAC", "dense GMAC", "predicted us", "floor us", "by");
    for (size_t place = 0; place < program.steps.size(); ++place) {
      const StepCost &step = program.steps[place];
      text += fmt::format("  {:<{}}  {:>11.3f}  {:>10.3f}  {:>12.1f}  {:>10.1f}  {:<10}  {}\n", step.kernel,
                          wide, static_cast<double>(step.active_macs) * 1e-9,
                          static_cast<double>(step.dense_macs) * 1e-9, step.predicted_us, step.floor_us,
                          step.floor_by, stepText(plan, plan.programs[number].steps[place]));
    }
    int64_t active = 0, dense = 0;
    for (const StepCost &step : program.steps) {
      active += step.active_macs;
      dense += step.dense_macs;
    }
    text += fmt::format("  {:<{}}  {:>11.3f}  {:>10.3f}  {:>12.1f}  {:>10.1f}\n", "all", wide,
                        static_cast<double>(active) * 1e-9, static_cast<double>(dense) * 1e-9,
                        program.predicted(), program.floor());
  }
  return text;
}

nlohmann::ordered_json programCostJson(const ProgramPlan &plan, const std::vector<ProgramCost> &costs) {
  nlohmann::ordered_json programs = nlohmann::ordered_json::array();
  for (size_t number = 0; number < costs.size(); ++number) {
    const ProgramCost &program = costs[number];
    nlohmann::ordered_json steps = nlohmann::ordered_json::array();
    for (size_t place = 0; place < program.steps.size(); ++place) {
      const StepCost &step = program.steps[place];
      steps.push_back({{"kernel", step.kernel},
                       {"computes", stepText(plan, plan.programs[number].steps[place])},
                       {"active_macs", step.active_macs},
                       {"dense_macs", step.dense_macs},
                       {"predicted_us", step.predicted_us},
                       {"floor_us", step.floor_us},
                       {"floor_by", step.floor_by}});
    }
    programs.push_back({{"name", program.program},
                        {"m", program.m},
                        {"target", program.target},
                        {"machine", program.machine},
                        {"predicted_us", program.predicted()},
                        {"floor_us", program.floor()},
                        {"steps", steps}});
    if (program.experts > 0)
      programs.back()["experts"] = program.experts;
  }
  return {{"programs", programs}};
}

} // namespace compiler
