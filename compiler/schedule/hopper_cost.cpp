// What a schedule would cost: bytes, tensor cores, waves.
#include "compiler/schedule/hopper_schedule.h"

#include "algebras/error.h"

#include <algorithm>
#include <cmath>

namespace compiler {

// Measured on an H200 where the comment says so, else from public figures; they only have to rank schedules.
static constexpr double processors = 132;
static constexpr double memory_bytes_per_us = 4.3e6; // copy, measured
static constexpr double cache_bytes_per_us =
    5.5e6;                                   // second-level cache to shared memory, all processors together
static constexpr double tensor_clock = 1460; // cycles per us at which dense products reach 790 TFLOP/s
static constexpr double launch_us = 3;
static constexpr double exposed = 0.12; // of the second longest part, what does not hide behind the longest
static constexpr double cycles_per_stage = 30; // barriers and issue
static constexpr double cycles_per_tile =
    600; // filling the pipeline's end, writing sums through shared memory
static constexpr double bytes_in_flight = 48e3; // per processor, to cover the latency of memory

static double ceilDivide(double value, double step) { return std::ceil(value / step); }

HopperCost hopperCost(const algebras::Layer &layer, const HopperSchedule &schedule, HopperOutput output,
                      std::int64_t m) {
  const double k = static_cast<double>(layer.in.width(0)), n = static_cast<double>(layer.out.width(0));
  const double types = static_cast<double>(layer.lift.types());
  const double groups = static_cast<double>(layer.lift.outputGroups());
  const double terms = static_cast<double>(layer.lift.termCount()) / (types * groups);
  const double rows = static_cast<double>(schedule.rows), columns = static_cast<double>(schedule.columns);
  const double depth = static_cast<double>(schedule.depth);
  const double result_bytes = output == HopperOutput::BF16 ? 2 : 4;
  const double all_rows = static_cast<double>(m);

  // Rows lie in lines: all of a type, or the runs of an interval. Tiles do not cross them.
  const bool interval = layer.row_types.kind() == algebras::RowTypes::Kind::Interval;
  const double line_rows = interval ? std::min(all_rows, static_cast<double>(layer.row_types.width()))
                                    : std::ceil(all_rows / types);
  const double lines = std::ceil(all_rows / line_rows);
  const double tiles = lines * ceilDivide(line_rows, rows) * groups * ceilDivide(n, columns);
  const double steps = terms * ceilDivide(k, depth);

  HopperCost cost;
  cost.memory = (2 * all_rows * static_cast<double>(layer.in.total()) +
                 2 * static_cast<double>(layer.in.total()) * n * (layer.lift.types() == 1 ? 1 : groups) +
                 result_bytes * all_rows * static_cast<double>(layer.out.total())) /
                memory_bytes_per_us;
  const double tile_loads = terms * k * 2 * (std::min(rows, line_rows) + std::min(columns, n));
  const double in_flight = static_cast<double>(schedule.stages * stageBytes(schedule));
  cost.loads = tiles * tile_loads / cache_bytes_per_us * std::max(1.0, bytes_in_flight / in_flight);
  // One instruction multiplies 64 rows by all columns, 16 deep. Below 64 columns reading A takes longer.
  const double instruction = std::max(columns / 2, 16 + columns / 4);
  const double stage =
      static_cast<double>(schedule.warpgroups()) * depth / 16 * instruction + cycles_per_stage;
  // Panels of less than 128 bytes spread worse over the banks of shared memory.
  const double narrow = panelBytes(schedule.columns, 2) == 128 && schedule.depth == 64 ? 1 : 1.05;
  const double written = rows * columns * result_bytes / 128 * 2;
  cost.tensor = tiles * (steps * stage * narrow + cycles_per_tile + written) / processors / tensor_clock;

  const double waves = std::ceil(tiles / processors) * processors / tiles;
  double parts[] = {cost.memory, cost.loads * waves, cost.tensor * waves};
  std::sort(parts, parts + 3);
  cost.total = launch_us + parts[2] + exposed * parts[1];
  return cost;
}

HopperSchedule chooseHopperSchedule(const algebras::Layer &layer, std::int64_t m, HopperOutput output) {
  requireHopperLayer(layer, output);
  const std::vector<HopperSchedule> candidates = hopperCandidates(layer, output);
  const HopperSchedule *best = nullptr;
  double least = 0;
  for (const HopperSchedule &candidate : candidates) {
    const double cost = hopperCost(layer, candidate, output, m).total;
    if (!best || cost < least) {
      best = &candidate;
      least = cost;
    }
  }
  // 64 x 16, 16 deep is a candidate for every layer: at least one is there.
  return *best;
}

} // namespace compiler
