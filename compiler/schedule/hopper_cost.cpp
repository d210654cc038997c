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
// What does not hide behind the longest part: of the second longest this much, of the third as much of that.
static constexpr double exposed = 0.12;
static constexpr double cycles_per_stage = 30; // barriers and issue
// Two assumptions about copies, to be calibrated on a device. A copy moves the rows of a box, `swizzle` bytes
// each, and every row takes the time of one sector beside its bytes: rows of 32 bytes move at 5/8 of the rate
// of rows of 128. And one thread issues the copies of a stage, one after the other.
static constexpr double row_overhead_bytes = 32, full_row_bytes = 128;
static constexpr double cycles_per_copy = 24;
// Two warpgroups beside the one that loads are known to keep the tensor cores busy. A third leaves each
// thread fewer registers; it has to save more than this model can be trusted with.
static constexpr double third_warpgroup = 1.05;
static constexpr double cycles_per_tile =
    600; // filling the pipeline's end, writing sums through shared memory
static constexpr double bytes_in_flight = 48e3; // per processor, to cover the latency of memory

static double ceilDivide(double value, double step) { return std::ceil(value / step); }

/// Time to copy one row of a block, in bytes of full rows: it comes in pieces of `piece_bytes`, each a row of
/// a box. What lies outside the tensor is zero and costs nothing.
static double rowCost(double bytes, double piece_bytes) {
  return (bytes + ceilDivide(bytes, piece_bytes) * row_overhead_bytes) * full_row_bytes /
         (full_row_bytes + row_overhead_bytes);
}

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
  const double row_blocks = ceilDivide(line_rows, rows), column_blocks = ceilDivide(n, columns);
  const double tiles = lines * row_blocks * groups * column_blocks;
  const double steps = terms * ceilDivide(k, depth);

  HopperCost cost;
  cost.memory = (2 * all_rows * static_cast<double>(layer.in.total()) +
                 2 * static_cast<double>(layer.in.total()) * n * (layer.lift.types() == 1 ? 1 : groups) +
                 result_bytes * all_rows * static_cast<double>(layer.out.total())) /
                memory_bytes_per_us;
  const double x_panel = static_cast<double>(panelBytes(schedule.depth, 2));
  const double w_panel = static_cast<double>(panelBytes(schedule.columns, 2));
  // On average over the tiles of a line and of a group, whose last ones are not full.
  const double tile_loads = terms * (line_rows / row_blocks * rowCost(2 * k, x_panel) +
                                     k * rowCost(2 * n / column_blocks, w_panel));
  const double in_flight = static_cast<double>(schedule.stages * stageBytes(schedule));
  cost.loads = tiles * tile_loads / cache_bytes_per_us * std::max(1.0, bytes_in_flight / in_flight);
  // One instruction multiplies 64 rows by all columns, 16 deep. Below 64 columns reading A takes longer.
  const double instruction = std::max(columns / 2, 16 + columns / 4);
  const double products = static_cast<double>(schedule.warpgroups()) * depth / 16 * instruction;
  const double copies = 2 * depth / x_panel + 2 * columns / w_panel;
  const double stage = std::max(products, copies * cycles_per_copy) + cycles_per_stage;
  // Panels of less than 128 bytes spread worse over the banks of shared memory.
  const double narrow = w_panel == full_row_bytes && x_panel == full_row_bytes ? 1 : 1.05;
  const double written = rows * columns * result_bytes / 128 * 2;
  cost.tensor = tiles * (steps * stage * narrow + cycles_per_tile + written) / processors / tensor_clock;

  const double waves = std::ceil(tiles / processors) * processors / tiles;
  double parts[] = {cost.memory, cost.loads * waves, cost.tensor * waves};
  std::sort(parts, parts + 3);
  cost.total = launch_us + parts[2] + exposed * (parts[1] + exposed * parts[0]);
  if (schedule.warpgroups() > 2)
    cost.total *= third_warpgroup;
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
