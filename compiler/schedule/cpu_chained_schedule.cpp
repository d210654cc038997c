#include "compiler/schedule/cpu_chained_schedule.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <optional>

namespace compiler {

// A round number, as those of cpu_core: bytes that a core writes to its caches in a cycle.
static constexpr double near_bytes = 16;
static constexpr int64_t most_rows = 256; // of a task, unless one register tile of each layer has more

/// Elements of a row that a layer's output group reads.
static double readOfRow(const algebras::Layer &layer) {
  const algebras::Lift &lift = layer.lift;
  const double terms =
      static_cast<double>(lift.termCount()) / static_cast<double>(lift.types() * lift.outputGroups());
  return terms * static_cast<double>(layer.in.total()) / static_cast<double>(lift.inputGroups());
}

/// A task copies its rows of X before it begins. Those that the second-level cache cannot hold it writes to
/// afar and reads from there.
static double farRows(const algebras::Layer &first, const CpuLevel &level, const CpuSchedule &schedule,
                      int64_t m) {
  const int64_t types = first.lift.types(), of_type = std::max<int64_t>(1, (m + types - 1) / types),
                rows = std::min(schedule.rows, roundUp(of_type, schedule.register_rows)),
                bytes = first.in.total() * (schedule.pairs ? 2 : 4);
  return rows * bytes > level.l2
             ? 2 * static_cast<double>(m) * static_cast<double>(bytes) / cpu_core.far_bytes
             : 0;
}

Cost chainedCost(const algebras::Layer &first, const algebras::Layer &last, const CpuLevel &level,
                 const ChainedSchedule &schedule, int64_t m, int64_t cores) {
  const Cost of_first = cpuCost(first, schedule.first, m, cores),
             of_last = cpuCost(last, schedule.last, m, cores);
  const double between = static_cast<double>(m) * static_cast<double>(first.out.total()) *
                         (schedule.last.pairs ? 2 : 4) / near_bytes;
  Cost cost;
  cost.tiles = of_last.tiles;
  cost.turns = of_last.turns;
  cost.waves = of_last.waves;
  cost.busy = {{"rows", of_first["rows"] + farRows(first, level, schedule.first, m) + between},
               {"weights", of_first["weights"] + of_last["weights"]},
               {"store", of_last["store"]},
               {"multiply", of_first["multiply"] + of_last["multiply"]}};
  const double busy = of_last.total() - of_last["idle"];
  addInTurn(cost, busy > 0 ? of_last.total() / busy : 1);
  return cost;
}

/// What a register tile of either layer may be.
static std::vector<CpuSchedule> legalTiles(const algebras::Layer &layer, const CpuLevel &level,
                                           WeightAccess access) {
  std::vector<CpuSchedule> tiles = registerTiles(layer, level, access);
  std::erase_if(tiles,
                [&](const CpuSchedule &tile) { return refuseRegisterTile(layer, level, tile).has_value(); });
  return tiles;
}

ChainedSchedule chooseChainedSchedule(const algebras::Layer &first, const algebras::Layer &last,
                                      const CpuLevel &level, WeightAccess access, int64_t m) {
  // What a row keeps near: of X and of the first layer's result the groups of an output group's terms.
  const double row = readOfRow(first) + readOfRow(last);
  std::optional<ChainedSchedule> best;
  double least = 0;
  const std::vector<CpuSchedule> tiles = legalTiles(last, level, access);
  for (CpuSchedule of_first : legalTiles(first, level, access))
    for (CpuSchedule of_last : tiles) {
      // Rows between the layers are filled up to what one unit multiplies at a time.
      if (of_first.unit != of_last.unit)
        continue;
      const int64_t step = std::lcm(of_first.register_rows, of_last.register_rows);
      const double room = static_cast<double>(level.l2) / 2 / (of_last.pairs ? 2 : 4);
      // A weight matrix in place is read with its own row stride, which the caches bear once.
      const int64_t most = access == WeightAccess::Direct ? step : std::max<int64_t>(step, most_rows);
      for (int64_t rows = step; rows <= most; rows += step) {
        if (rows > step && static_cast<double>(rows) * row > room)
          break;
        of_first.rows = of_last.rows = rows;
        const ChainedSchedule schedule = {of_first, of_last};
        const double cost = chainedCost(first, last, level, schedule, m).total();
        if (!best || cost < least) {
          best = schedule;
          least = cost;
        }
      }
    }
  assert(best && "the fewest rows of two register tiles are always a candidate");
  return *best;
}

} // namespace compiler
