#include "compiler/tools/cost_program.h"

#include "algebras/cost/report.h"
#include "algebras/error.h"
#include "compiler/schedule/ranking.h"
#include "compiler/tools/program_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

// Bytes that an element-wise function reads and writes for m rows.
double bytesOf(const algrt::Elementwise &function, int64_t m) {
  double bytes = 0;
  for (const algrt::ElementwiseOperand &operand : function.operands) {
    double count = 1;
    for (const algrt::Extent &extent : operand.shape)
      count *= static_cast<double>(extent.factor * m + extent.constant);
    bytes += count * (operand.type == algrt::ElementType::Bf16 ? 2 : 4);
  }
  return bytes;
}

// Such a function takes what its bytes take, on a GPU a launch besides.
StepCost costOfElementwise(const ProgramPlan &plan, const algrt::ProgramStep &step,
                           const ProgramCost &program, const CpuMachine &cpu) {
  const double bytes = bytesOf(plan.elementwise[*step.elementwise].description, program.m);
  StepCost cost{plan.functionOf(step), stepText(plan, step), 0, 0, 0, 0, "memory"};
  if (const TargetEntry &target = entryOf(targetNamed(program.target)); target.isGpu()) {
    cost.floor_us = bytes / target.machine->memory_bytes_per_us;
    cost.predicted_us = cost.floor_us + target.machine->launch_us;
  } else {
    cost.floor_us = bytes / (cpu_core.far_bytes * static_cast<double>(cpu.cores) * cpu_core.cycles_per_us);
    cost.predicted_us = cost.floor_us;
  }
  return cost;
}

StepCost costOfStep(const ProgramPlan &plan, const algrt::ProgramStep &step, ProgramCost &program, int64_t p0,
                    const CpuMachine &cpu) {
  if (step.elementwise)
    return costOfElementwise(plan, step, program, cpu);
  const KernelSource &kernel = plan.kernels[step.projection];
  const int64_t weights = kernel.fusion ? kernel.fusion->weights : 1;
  const int64_t rows = step.rows.value_or(program.m);
  const algebras::cost::CostReport counts =
      algebras::cost::costReport(kernel.layer, rows, step.rows ? 0 : p0);
  if (kernel.next) {
    const algebras::cost::CostReport of_next = algebras::cost::costReport(*kernel.next, rows, p0);
    const int64_t next_weights = kernel.next->fused.weights;
    const LayersPrediction made =
        predictLayers(kernel.layer, *kernel.next, program.target, rows, kernel.results.front(), cpu);
    program.machine = made.machine;
    return {kernel.projection,
            stepText(plan, step),
            weights * counts.active_macs + next_weights * of_next.active_macs,
            weights * counts.dense_macs + next_weights * of_next.dense_macs,
            made.predicted_us,
            made.floor_us,
            made.floor_by};
  }
  const Ranking ranking = rankMap(kernel.layer, step.map, program.target, rows, kernel.results.front(), cpu);
  if (ranking.legal.empty())
    throw algebras::InputError(
        fmt::format("no schedule of {} is legal on {}", kernel.projection, program.target));
  program.machine = ranking.machine;
  return {kernel.projection,
          stepText(plan, step),
          weights * counts.active_macs,
          weights * counts.dense_macs,
          ranking.legal.front().predicted(),
          ranking.floor_us,
          ranking.floor_by};
}

double predictedOf(const ProgramCost &program) {
  double sum = 0;
  for (const StepCost &step : program.steps)
    sum += step.predicted_us;
  return sum;
}

double floorOf(const ProgramCost &program) {
  double sum = 0;
  for (const StepCost &step : program.steps)
    sum += step.floor_us;
  return sum;
}

} // namespace

std::vector<ProgramCost> costOfPrograms(const ProgramPlan &plan, const std::string &target, int64_t m,
                                        int64_t p0, const CpuMachine &cpu) {
  std::vector<ProgramCost> costs;
  for (const algrt::Program &program : plan.programs) {
    ProgramCost cost{program.name, target, "", m, {}};
    for (const algrt::ProgramStep &step : program.steps)
      cost.steps.push_back(costOfStep(plan, step, cost, p0, cpu));
    costs.push_back(std::move(cost));
  }
  return costs;
}

std::string programCostText(const std::vector<ProgramCost> &costs) {
  std::string text;
  for (const ProgramCost &program : costs) {
    text += fmt::format("{}{}, M = {}, on {}: predicted for {}\n", text.empty() ? "" : "\n", program.program,
                        program.m, program.target, program.machine);
    size_t wide = 4;
    for (const StepCost &step : program.steps)
      wide = std::max(wide, step.kernel.size());
    text += fmt::format("  {:<{}}  {:>10}  {:>10}  {:>12}  {:>10}  {:<10}  computes\n", "step", wide,
                        "active GMAC", "dense GMAC", "predicted us", "floor us", "by");
    for (const StepCost &step : program.steps)
      text += fmt::format("  {:<{}}  {:>11.3f}  {:>10.3f}  {:>12.1f}  {:>10.1f}  {:<10}  {}\n", step.kernel,
                          wide, static_cast<double>(step.active_macs) * 1e-9,
                          static_cast<double>(step.dense_macs) * 1e-9, step.predicted_us, step.floor_us,
                          step.floor_by, step.computes);
    int64_t active = 0, dense = 0;
    for (const StepCost &step : program.steps) {
      active += step.active_macs;
      dense += step.dense_macs;
    }
    text += fmt::format("  {:<{}}  {:>11.3f}  {:>10.3f}  {:>12.1f}  {:>10.1f}\n", "all", wide,
                        static_cast<double>(active) * 1e-9, static_cast<double>(dense) * 1e-9,
                        predictedOf(program), floorOf(program));
  }
  return text;
}

nlohmann::ordered_json programCostJson(const std::vector<ProgramCost> &costs) {
  nlohmann::ordered_json programs = nlohmann::ordered_json::array();
  for (const ProgramCost &program : costs) {
    nlohmann::ordered_json steps = nlohmann::ordered_json::array();
    for (const StepCost &step : program.steps)
      steps.push_back({{"kernel", step.kernel},
                       {"computes", step.computes},
                       {"active_macs", step.active_macs},
                       {"dense_macs", step.dense_macs},
                       {"predicted_us", step.predicted_us},
                       {"floor_us", step.floor_us},
                       {"floor_by", step.floor_by}});
    programs.push_back({{"name", program.program},
                        {"m", program.m},
                        {"target", program.target},
                        {"machine", program.machine},
                        {"predicted_us", predictedOf(program)},
                        {"floor_us", floorOf(program)},
                        {"steps", steps}});
  }
  return {{"programs", programs}};
}

} // namespace compiler
