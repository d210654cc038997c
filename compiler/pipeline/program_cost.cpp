#include "compiler/pipeline/program_cost.h"

#include "algebras/cost/report.h"
#include "algebras/error.h"
#include "compiler/schedule/experts.h"
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/work.h"

#include <fmt/format.h>
#include <optional>

namespace compiler {
namespace {

/// Bytes that an element-wise function reads and writes for m rows.
double bytesOf(const algrt::Elementwise &function, int64_t m) {
  double bytes = 0;
  for (const algrt::ElementwiseOperand &operand : function.operands) {
    double count = 1;
    for (const algrt::Extent &extent : operand.shape)
      count *= static_cast<double>(extent.lengthFor(m));
    bytes += count * (operand.type == algrt::ElementType::Bf16 ? 2 : 4);
  }
  return bytes;
}

/// Such a function takes what its bytes take, on a GPU a launch besides.
StepCost costOfElementwise(const ProgramPlan &plan, const algrt::ProgramStep &step, ProgramCost &program,
                           const CpuMachine &cpu) {
  const double bytes = bytesOf(plan.elementwise[*step.elementwise].description, program.m);
  StepCost cost{plan.functionOf(step), 0, 0, 0, 0, "memory"};
  if (const TargetEntry &target = entryOf(targetNamed(program.target)); target.isGpu()) {
    program.machine = target.machine->name;
    cost.floor_us = bytes / target.machine->memory_bytes_per_us;
    cost.predicted_us = cost.floor_us + target.machine->launch_us;
  } else {
    program.machine = toString(cpu);
    cost.floor_us = bytes / (cpu_core.far_bytes * static_cast<double>(cpu.cores) * cpu_core.cycles_per_us);
    cost.predicted_us = cost.floor_us;
  }
  return cost;
}

/// Of the rows of all experts.
StepCost costOfExperts(const KernelSource &kernel, ProgramCost &program, int64_t p0, const CpuMachine &cpu) {
  const RowsOfNetworks networks(program.m, program.experts);
  StepCost cost;
  cost.kernel = kernel.projection;
  const auto add = [&](const algebras::Layer &layer, int64_t weights) {
    const auto counted = [&](auto count) {
      return networks.total(
          [&](int64_t rows) { return weights * count(algebras::cost::costReport(layer, rows, p0)); });
    };
    cost.active_macs += counted([](const algebras::cost::CostReport &report) { return report.active_macs; });
    cost.dense_macs += counted([](const algebras::cost::CostReport &report) { return report.dense_macs; });
  };
  add(kernel.layer, kernel.fusion ? kernel.fusion->weights : 1);
  if (kernel.next)
    add(*kernel.next, kernel.next->fused.weights);
  const LayersPrediction made =
      predictExperts(kernel.layer, kernel.next ? &*kernel.next : nullptr, program.target, program.m,
                     program.experts, kernel.results.front(), cpu);
  program.machine = made.machine;
  cost.predicted_us = made.predicted_us;
  cost.floor_us = made.floor_us;
  cost.floor_by = made.floor_by;
  cost.grouping_us = made.grouping_us;
  return cost;
}

StepCost costOfStep(const ProgramPlan &plan, const algrt::ProgramStep &step, ProgramCost &program, int64_t p0,
                    const CpuMachine &cpu) {
  if (step.elementwise)
    return costOfElementwise(plan, step, program, cpu);
  const KernelSource &kernel = plan.kernels[step.projection];
  if (program.experts > 0)
    return costOfExperts(kernel, program, p0, cpu);
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
            weights * counts.active_macs + next_weights * of_next.active_macs,
            weights * counts.dense_macs + next_weights * of_next.dense_macs,
            made.predicted_us,
            made.floor_us,
            made.floor_by,
            0,
            true};
  }
  const Ranking ranking = rankMap(kernel.layer, step.map, program.target, rows, kernel.results.front(), cpu);
  const RankedSchedule &best = bestOf(ranking, kernel.layer);
  program.machine = ranking.machine;
  return {kernel.projection,
          weights * counts.active_macs,
          weights * counts.dense_macs,
          best.predicted(),
          ranking.floor_us,
          ranking.floor_by,
          best.cost["grouping"],
          !isForThreads(best.schedule)};
}

/// The rows that a step lists by type.
struct ListedRowsOfStep {
  int64_t rows, types, width;
  bool operator==(const ListedRowsOfStep &) const = default;
};

/// A step finds the list that an earlier one has made, unless one between them has made another.
class Groupings {
public:
  void countOnce(StepCost &cost, const algebras::Layer &layer, int64_t rows) {
    if (cost.grouping_us == 0)
      return;
    const ListedRowsOfStep listed{rows, layer.row_types.count(), layer.row_types.width()};
    if (last_ == listed) {
      cost.predicted_us -= cost.grouping_us;
      cost.grouping_us = 0;
    }
    last_ = listed;
  }

private:
  std::optional<ListedRowsOfStep> last_;
};

} // namespace

double ProgramCost::predicted() const {
  double sum = 0;
  for (const StepCost &step : steps)
    sum += step.predicted_us;
  return sum;
}

double ProgramCost::floor() const {
  double sum = 0;
  for (const StepCost &step : steps)
    sum += step.floor_us;
  return sum;
}

std::vector<ProgramCost> costOfPrograms(const ProgramPlan &plan, const std::string &target, int64_t m,
                                        int64_t p0, const CpuMachine &cpu, int64_t experts) {
  std::vector<ProgramCost> costs;
  for (const algrt::Program &program : plan.programs) {
    ProgramCost cost{program.name, target, "", m, experts, {}};
    Groupings groupings;
    for (const algrt::ProgramStep &step : program.steps) {
      const auto cost_of_step = [&] { return costOfStep(plan, step, cost, p0, cpu); };
      StepCost &made = cost.steps.emplace_back(
          step.elementwise ? cost_of_step() : atPlaceOf(plan.kernels[step.projection], cost_of_step));
      if (!step.elementwise)
        groupings.countOnce(made, plan.kernels[step.projection].layer, step.rows.value_or(m));
      const GpuMachine *machine = entryOf(targetNamed(target)).machine;
      if (machine != nullptr && made.waits && mayBeginEarly(program, cost.steps.size() - 1, m))
        made.predicted_us -= machine->early_begin_us;
    }
    costs.push_back(std::move(cost));
  }
  return costs;
}

} // namespace compiler
