#include "compiler/schedule/layers_choice.h"

#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/targets.h"

#include <utility>

namespace compiler {

std::string toString(const LayersSchedule &schedule) {
  return std::visit([](const auto &kind) { return toString(kind); }, schedule);
}

std::string whyNoKernelOfLayers(const StagedChainedProblem &problem, std::string_view target,
                                RowsOfCall rows) {
  const std::string of_many = whyNotChained(problem, target);
  if (of_many.empty() && !rows.areForReductions())
    return "";
  if (rows.areForReductions() || rows.count <= most_reduction_rows)
    return whyNoChainedReduction(problem, target);
  return of_many;
}

/// Takes the place of a choice that costs more.
template <class Kind> static void offer(std::optional<LayersChoice> &best, const Kind &schedule, Cost cost) {
  if (!best || cost.total() < best->cost.total())
    best = LayersChoice{schedule, std::move(cost)};
}

std::optional<LayersChoice> cheapestOfLayers(const StagedChainedProblem &problem, std::string_view target,
                                             RowsOfCall rows) {
  const GpuMachine &machine = *entryOf(targetNamed(target)).machine;
  std::optional<LayersChoice> best;
  if (!rows.areForReductions() && whyNotChained(problem, target).empty()) {
    const StagedChainedCosts costs(problem, rows.count, machine);
    for (const StagedChainedSchedule &candidate : considerStagedChained(problem))
      offer(best, candidate, costs(candidate));
  }
  if ((rows.areForReductions() || rows.count <= most_reduction_rows) &&
      whyNoChainedReduction(problem, target).empty()) {
    ChainedReductionChoice reduction =
        *chooseChainedReduction(problem, target, rows.count, /*vector=*/0, rows.experts);
    offer(best, reduction.schedule, std::move(reduction.cost));
  }
  return best;
}

} // namespace compiler
