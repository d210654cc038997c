// The adapter of the CPU for gradients of the bank.
#include "algebras/cost/report.h"
#include "compiler/schedule/cpu_gradient_schedule.h"
#include "compiler/schedule/cpu_schedule.h"
#include "compiler/schedule/host_level.h"
#include "compiler/schedule/ranking.h"

#include <algorithm>
#include <cmath>

namespace compiler {

// As cpu_ranking.cpp has them.
static constexpr double cycles_per_us = host_cycles_per_us;
static constexpr double multiplications_per_cycle = 2, far_bytes_per_cycle = 6;

static double tilesOf(const algebras::Groups &groups, std::int64_t step) {
  double tiles = 0;
  for (std::int64_t group = 0; group < groups.count(); ++group)
    tiles += static_cast<double>((groups.width(group) + step - 1) / step);
  return tiles;
}

static RankedSchedule ranked(const algebras::Layer &layer, const CpuGradientSchedule &schedule,
                             std::int64_t m, const CpuMachine &machine) {
  const double workers = static_cast<double>(machine.cores);
  const CpuGradientCost cost = cpuGradientCost(layer, schedule, m, machine.cores);
  const double unit = 1 / (workers * cycles_per_us);
  RankedSchedule result;
  result.schedule = toString(schedule);
  result.tile = {schedule.features, schedule.columns, schedule.rows};
  result.predicted = cost.total() * unit;
  // One core does one after the other: what keeps it busy is what adds up.
  result.busy = {
      {"bring", cost.bring * unit}, {"store", cost.store * unit}, {"multiply", cost.multiply * unit}};
  result.sum = result.busy;
  result.sum.push_back({"idle", cost.idle * unit});
  result.bound_by =
      std::max_element(result.busy.begin(), result.busy.end(), [](const CostPart &a, const CostPart &b) {
        return a.us < b.us;
      })->name;
  // In the slot lift blocks lie side by side: each has all columns of one slot.
  const bool rows_lift = layer.lift.kind() == algebras::Lift::Kind::Rows;
  result.tiles = tilesOf(layer.in, schedule.features) * tilesOf(layer.out, schedule.columns) /
                 (rows_lift ? 1 : static_cast<double>(layer.out.count()));
  result.waves = result.tiles / workers;
  return result;
}

Ranking rankCpuBankGradient(const algebras::Layer &layer, std::int64_t m, const CpuMachine &machine) {
  const CpuLevel &level = machine.level;
  const double workers = static_cast<double>(machine.cores);
  const algebras::cost::CostReport report = algebras::cost::costReport(layer, m);
  // dW is written whole, whatever the rows reach.
  const double element = static_cast<double>(byteWidth(layer.dtype));
  const double columns =
      static_cast<double>(layer.out.total()) /
      (layer.lift.kind() == algebras::Lift::Kind::Rows ? 1 : static_cast<double>(layer.out.count()));
  const double bytes = static_cast<double>(report.activation_bytes) +
                       static_cast<double>(layer.in.total()) * columns * element;
  const double memory = bytes / (far_bytes_per_cycle * workers * cycles_per_us);
  const double pairs = usesPairs(layer, level) ? 2 : 1;
  const double arithmetic =
      static_cast<double>(report.active_macs) /
      (multiplications_per_cycle * static_cast<double>(level.lanes) * pairs * workers * cycles_per_us);
  Ranking ranking{"cpu",
                  toString(machine),
                  std::max(memory, arithmetic),
                  memory >= arithmetic ? "memory" : "arithmetic",
                  {},
                  {}};
  for (const CpuGradientSchedule &schedule : cpuGradientCandidates(layer, level))
    ranking.legal.push_back(ranked(layer, schedule, m, machine));
  sortByCost(ranking);
  return ranking;
}

} // namespace compiler
