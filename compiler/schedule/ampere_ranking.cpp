// The adapter of the kernels whose threads copy.
#include "compiler/schedule/ampere_schedule.h"
#include "compiler/schedule/ranking.h"

#include <algorithm>

namespace compiler {

static RankedSchedule ranked(const AmpereSchedule &schedule, const AmpereCost &cost,
                             const GpuMachine &machine) {
  static const char *const names[] = {"memory", "loads", "multiprocessor"};
  RankedSchedule result;
  result.schedule = toString(schedule);
  result.tile = {schedule.rows, schedule.columns, schedule.depth};
  result.predicted = cost.total();
  result.busy = {{"memory", cost.memory}, {"loads", cost.loads}, {"multiprocessor", cost.multiprocessor()}};
  result.arithmetic = {{"products", cost.products},
                       {"shared", cost.shared},
                       {"issue", cost.issue},
                       {"latency", cost.latency},
                       {"tile ends", cost.tiles_ends}};
  result.bound_by = names[static_cast<int>(cost.boundBy())];
  result.sum = {{result.bound_by, cost.bound()},
                {"tail", cost.tail},
                {"unhidden", cost.unhidden},
                {"launch", cost.launch}};
  if (cost.grouping > 0)
    result.sum.push_back({"grouping", cost.grouping});
  result.tiles = cost.tiles;
  result.waves = cost.tiles / machine.multiprocessors;
  return result;
}

/// What has been considered, by the cost of each.
template <class Cost>
static Ranking rank(const TargetEntry &target, double bytes, double macs,
                    const std::vector<AmpereConsidered> &considered, Cost costOf) {
  const GpuMachine &machine = *target.machine;
  const double memory = bytes / machine.memory_bytes_per_us, arithmetic = macs / machine.denseMacsPerUs();
  Ranking ranking{target.name,
                  std::string(machine.name),
                  std::max(memory, arithmetic),
                  memory >= arithmetic ? "memory" : "arithmetic",
                  {},
                  {}};
  for (const AmpereConsidered &one : considered)
    if (one.refusal)
      ranking.refused.push_back({toString(one.schedule), one.refusal->kind, one.refusal->reason});
    else
      ranking.legal.push_back(ranked(one.schedule, costOf(one.schedule), machine));
  sortByCost(ranking);
  return ranking;
}

Ranking rankAmpere(const algebras::Layer &layer, const TargetEntry &target, std::int64_t m,
                   algebras::DataType output) {
  const GpuMachine &machine = *target.machine;
  const ProjectionWork work = projectionWork(layer, m, output);
  return rank(target, work.x_bytes + work.bank_bytes + work.y_bytes, work.macs,
              considerAmpere(layer, /*vector=*/0),
              [&](const AmpereSchedule &schedule) { return ampereCost(work, schedule, output, machine); });
}

Ranking rankAmpereBankGradient(const algebras::Layer &layer, const TargetEntry &target, std::int64_t m,
                               algebras::DataType output) {
  const GpuMachine &machine = *target.machine;
  const BankGradientWork work = bankGradientWork(layer, m, output);
  return rank(target, work.x_bytes + work.dy_bytes + work.dw_bytes, work.macs,
              considerAmpereBankGradient(layer, /*vector=*/0), [&](const AmpereSchedule &schedule) {
                return ampereBankGradientCost(work, schedule, output, machine);
              });
}

} // namespace compiler
