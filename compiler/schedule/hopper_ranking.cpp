// The adapter of sm_90a.
#include "compiler/schedule/hopper_bank_gradient.h"
#include "compiler/schedule/hopper_schedule.h"
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/targets.h"

#include <algorithm>

namespace compiler {

static RankedSchedule ranked(const HopperSchedule &schedule, const HopperCost &cost,
                             const GpuMachine &machine) {
  static const char *const names[] = {"memory", "loads", "tensor"};
  RankedSchedule result;
  result.schedule = toString(schedule);
  result.tile = {schedule.rows, schedule.columns, schedule.depth, schedule.types, schedule.held_groups};
  result.predicted = cost.total();
  result.busy = {{"memory", cost.memory}, {"loads", cost.loads}, {"tensor", cost.tensor()}};
  result.arithmetic = {{"products", cost.products},
                       {"padding", cost.padding},
                       {"feeding", cost.feeding},
                       {"store", cost.store}};
  result.bound_by = names[static_cast<int>(cost.boundBy())];
  result.sum = {{result.bound_by, cost.bound()},
                {"tail", cost.tail},
                {"unhidden", cost.unhidden},
                {"launch", cost.launch},
                {"caution", cost.caution}};
  result.tiles = cost.tiles;
  result.waves = cost.turns / machine.multiprocessorsIn(static_cast<double>(schedule.blocksTogether()));
  return result;
}

/// What has been considered, by the cost of each.
template <class Cost>
static Ranking rank(const TargetEntry &target, double memory, double arithmetic,
                    const std::vector<HopperConsidered> &considered, Cost costOf) {
  Ranking ranking{target.name,
                  std::string(target.machine->name),
                  std::max(memory, arithmetic),
                  memory >= arithmetic ? "memory" : "arithmetic",
                  {},
                  {}};
  for (const HopperConsidered &one : considered)
    if (one.refusal)
      ranking.refused.push_back({toString(one.schedule), one.refusal->kind, one.refusal->reason});
    else
      ranking.legal.push_back(ranked(one.schedule, costOf(one.schedule), *target.machine));
  sortByCost(ranking);
  return ranking;
}

Ranking rankHopper(const algebras::Layer &layer, const TargetEntry &target, std::int64_t m,
                   algebras::DataType type) {
  const HopperOutput output = type == algebras::DataType::F32 ? HopperOutput::F32 : HopperOutput::BF16;
  requireHopperLayer(layer);
  const GpuMachine &machine = *target.machine;
  const ProjectionWork work = projectionWork(layer, m, type);
  const Floor floor = floorOf(work, machine);
  return rank(target, floor.memory, floor.tensor, considerHopper(layer, output),
              [&](const HopperSchedule &schedule) { return hopperCost(work, schedule, output, machine); });
}

Ranking rankHopperBankGradient(const algebras::Layer &layer, const TargetEntry &target, std::int64_t m,
                               algebras::DataType output) {
  requireHopperLayer(layer);
  const GpuMachine &machine = *target.machine;
  const BankGradientWork work = bankGradientWork(layer, m, output);
  return rank(
      target, (work.x_bytes + work.dy_bytes + work.dw_bytes) / machine.memory_bytes_per_us,
      work.macs / machine.denseMacsPerUs(), considerHopperBankGradient(layer),
      [&](const HopperSchedule &schedule) { return hopperBankGradientCost(work, schedule, machine); });
}

} // namespace compiler
