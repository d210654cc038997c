// The adapter of the CPU.
#include "algebras/cost/report.h"
#include "compiler/schedule/cpu_schedule.h"
#include "compiler/schedule/host_level.h"
#include "compiler/schedule/ranking.h"

#include <algorithm>
#include <cmath>

namespace compiler {

static constexpr double cycles_per_us = host_cycles_per_us;
static constexpr double multiplications_per_cycle = 2, far_bytes_per_cycle = 6;

static RankedSchedule ranked(const CpuSchedule &schedule, const CpuCost &cost, double workers) {
  const double unit = 1 / (workers * cycles_per_us);
  RankedSchedule result;
  result.schedule = toString(schedule);
  result.tile = {schedule.rows, schedule.register_columns, 1};
  result.predicted = cost.total() * unit;
  // One core does one after the other: what keeps it busy is what adds up.
  result.busy = {{"hold", cost.hold * unit},
                 {"bank", cost.bank * unit},
                 {"store", cost.store * unit},
                 {"multiply", cost.multiply * unit}};
  result.sum = result.busy;
  result.sum.push_back({"idle", cost.idle * unit});
  result.bound_by =
      std::max_element(result.busy.begin(), result.busy.end(), [](const CostPart &a, const CostPart &b) {
        return a.us < b.us;
      })->name;
  return result;
}

Ranking rankCpu(const algebras::Layer &layer, std::int64_t m, const CpuMachine &machine) {
  const CpuLevel &level = machine.level;
  const double workers = static_cast<double>(machine.cores);
  const algebras::cost::CostReport report = algebras::cost::costReport(layer, m);
  const double memory = static_cast<double>(report.activation_bytes + report.live_weight_bytes) /
                        (far_bytes_per_cycle * workers * cycles_per_us);
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
  for (const BankAccess bank : {BankAccess::Packed, BankAccess::Copied, BankAccess::Direct})
    for (const CpuConsidered &considered : considerCpu(layer, level, bank)) {
      const CpuSchedule &schedule = considered.schedule;
      if (!considered.kind.empty()) {
        ranking.refused.push_back({toString(schedule), considered.kind, considered.reason});
        continue;
      }
      RankedSchedule one = ranked(schedule, cpuCost(layer, schedule, m, machine.cores), workers);
      one.tiles = std::ceil(static_cast<double>(layer.lift.types()) / static_cast<double>(schedule.types)) *
                  std::ceil(static_cast<double>(m) / static_cast<double>(layer.lift.types() * schedule.rows));
      one.waves = one.tiles / workers;
      ranking.legal.push_back(std::move(one));
    }
  sortByCost(ranking);
  return ranking;
}

} // namespace compiler
