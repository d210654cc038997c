#include "compiler/schedule/layers_choice.h"

#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/targets.h"

#include <algorithm>
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

/// Calls `visit(schedule, cost)` for all that are legal.
template <class Visit>
static void visitLayers(const StagedChainedProblem &problem, std::string_view target, RowsOfCall rows,
                        Visit visit) {
  const GpuMachine &machine = *entryOf(targetNamed(target)).machine;
  if (!rows.areForReductions() && whyNotChained(problem, target).empty()) {
    const StagedChainedCosts costs(problem, rows.count, machine);
    for (const StagedChainedSchedule &candidate : considerStagedChained(problem, rows.count))
      visit(candidate, costs(candidate));
  }
  if ((rows.areForReductions() || rows.count <= most_reduction_rows) &&
      whyNoChainedReduction(problem, target).empty()) {
    ChainedReductionCosts costs(problem, rows.count, machine, rows.experts);
    for (const ChainedReductionSchedule &candidate : considerChainedReductions(problem, target))
      visit(candidate, costs(candidate));
  }
}

std::optional<LayersChoice> cheapestOfLayers(const StagedChainedProblem &problem, std::string_view target,
                                             RowsOfCall rows) {
  std::optional<LayersChoice> best;
  visitLayers(problem, target, rows, [&](const auto &schedule, Cost cost) {
    if (!best || cost.total() < best->cost.total())
      best = LayersChoice{schedule, std::move(cost)};
  });
  return best;
}

std::vector<LayersChoice> rankLayers(const StagedChainedProblem &problem, std::string_view target,
                                     RowsOfCall rows) {
  std::vector<LayersChoice> listed;
  visitLayers(problem, target, rows,
              [&](const auto &schedule, Cost cost) { listed.push_back({schedule, std::move(cost)}); });
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < listed.size(); ++i)
    order.emplace_back(listed[i].cost.total(), i);
  std::ranges::sort(order);
  std::vector<LayersChoice> legal;
  for (const auto &[us, number] : order)
    legal.push_back(std::move(listed[number]));
  return legal;
}

static LayersSchedule withoutPipeline(StagedChainedSchedule schedule) {
  schedule.stages = schedule.next_stages = schedule.row_stages = 0;
  return schedule;
}
static LayersSchedule withoutPipeline(ChainedReductionSchedule schedule) {
  schedule.slices = 0;
  return schedule;
}

std::vector<LayersChoice> bestDifferent(const std::vector<LayersChoice> &ranked, int64_t most) {
  const auto kind_of = [](const LayersChoice &one) {
    return std::visit([](const auto &schedule) { return withoutPipeline(schedule); }, one.schedule);
  };
  std::vector<LayersChoice> best;
  for (const LayersChoice &one : ranked) {
    if (static_cast<int64_t>(best.size()) >= most)
      break;
    if (std::ranges::none_of(best, [&](const LayersChoice &other) { return kind_of(other) == kind_of(one); }))
      best.push_back(one);
  }
  return best;
}

} // namespace compiler
