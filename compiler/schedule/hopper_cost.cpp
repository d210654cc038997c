// What a schedule would cost: bytes, tensor cores, waves.
#include "compiler/schedule/h200.h"
#include "compiler/schedule/hopper_schedule.h"
#include "compiler/schedule/panels.h"

#include <algorithm>
#include <cmath>

namespace compiler {

// What does not hide behind the longest part: of the second longest this much, of the third as much of that.
static constexpr double exposed = 0.12;
static constexpr double cycles_per_stage = 30; // barriers and issue
// Two assumptions about copies, to be calibrated on a device. A copy moves the rows of a box, `swizzle` bytes
// each, and every row takes the time of one sector beside its bytes: rows of 32 bytes move at 5/8 of the rate
// of rows of 128. And one thread issues the copies of a stage, one after the other.
static constexpr double row_overhead_bytes = 32, full_row_bytes = 128;
static constexpr double cycles_per_copy = 24;
// Two warpgroups beside the one that loads are known to keep the tensor cores busy. Each further one leaves
// the threads fewer registers; it has to save more than this model can be trusted with.
static constexpr double further_warpgroup = 0.05;
// So do shallow stages, each time their depth is halved: they have more barriers, more copies and shorter
// rows, all of which rest on assumptions.
static constexpr double half_depth = 0.02;
// A slot that several blocks fill is free when the slowest of them has left it, and the word comes from afar.
static constexpr double cycles_per_shared_stage = 20;
// What clusters save rests on the second-level cache alone; each time that they are doubled they have to save
// more than this.
static constexpr double doubled_cluster = 0.02;
static constexpr double cycles_per_tile =
    600; // filling the pipeline's end, writing sums through shared memory
static constexpr double bytes_in_flight = 48e3; // per processor, to cover the latency of memory
// Panels of less than 128 bytes spread worse over the banks of shared memory.
static constexpr double narrow_panels = 1.05;

static double ceilDivide(double value, double step) { return std::ceil(value / step); }

/// Time to copy one row of a block, in bytes of full rows: it comes in pieces of `piece_bytes`, each a row of
/// a box. What lies outside the tensor is zero and costs nothing.
static double rowCost(double bytes, double piece_bytes) {
  return (bytes + ceilDivide(bytes, piece_bytes) * row_overhead_bytes) * full_row_bytes /
         (full_row_bytes + row_overhead_bytes);
}

/// The same for a row of a group, which is cut into blocks first.
static double rowCostInBlocks(double bytes, double block_bytes, double piece_bytes) {
  const double whole = std::floor(bytes / block_bytes);
  return whole * rowCost(block_bytes, piece_bytes) + rowCost(bytes - whole * block_bytes, piece_bytes);
}

/// The part of bytes that the cache has lost before they are read again, after so many others.
static double lost(double bytes_between) { return std::max(0.0, 1 - h200::cache_bytes / bytes_between); }

/// Bytes that come from memory beyond the first time, where all groups of a type follow one another: column
/// block by column block, then group, row block, line. What a block of rows reads of the bank comes back with
/// the next one, and what types share with the next type.
static double rereadWithTypesOutside(const ProjectionWork &work, double rows, double tiles_of_row_block) {
  const double together = std::max(1.0, std::floor(h200::processors / tiles_of_row_block));
  double lines = 0, within = 0;
  for (const EqualLines &kind : work.lines) {
    lines += kind.count;
    within += kind.count * (ceilDivide(ceilDivide(kind.rows, rows), together) - 1) * work.type_bytes;
  }
  const double across = std::max(0.0, lines * work.type_bytes - work.bank_bytes);
  return within * lost(work.type_bytes) + across * lost(work.intervals ? work.bank_bytes : work.type_bytes);
}

/// The same where all rows of a group follow one another. Rows come back with the next group that reads them,
/// a group's part of the bank with the next rows. Rows are in memory in pieces as wide as a group, and the
/// neighbour of a piece is needed much later: both fetch the sector that they share, and write it.
static double rereadWithGroupsOutside(const ProjectionWork &work, double rows, double column_blocks) {
  constexpr double sector = 32, bytes_beyond_a_piece = sector / 2;
  const double together = std::max(1.0, std::floor(h200::processors / column_blocks));
  const double bank_of_group = work.bank_bytes / work.groups;
  double used_bank = 0;
  for (const EqualLines &kind : work.lines)
    used_bank += kind.count * ceilDivide(kind.rows, rows) * work.type_bytes / work.groups;
  const double input_groups = work.x_bytes / (2 * work.rows() * work.k);
  const double used_x = work.x_bytes * work.terms * work.groups / input_groups;
  const double x_of_group = used_x / work.groups, y_of_group = work.y_bytes / work.groups;
  auto overhang = [&](double row_bytes) {
    return std::fmod(row_bytes, sector) == 0 ? 0 : bytes_beyond_a_piece / row_bytes;
  };
  return work.groups * std::max(0.0, used_bank / together - bank_of_group) * lost(bank_of_group) +
         std::max(0.0, used_x - work.x_bytes) * lost(x_of_group + bank_of_group + y_of_group) +
         work.x_bytes * overhang(2 * work.k) +
         work.y_bytes * overhang(work.y_bytes / (work.rows() * work.groups));
}

HopperCost hopperCost(const ProjectionWork &work, const HopperSchedule &schedule, HopperOutput output) {
  const double rows = static_cast<double>(schedule.rows), columns = static_cast<double>(schedule.columns);
  const double depth = static_cast<double>(schedule.depth);
  // A cluster takes its tiles together, also those that are past the end of a line or of a group.
  const double cluster_rows = static_cast<double>(schedule.cluster_rows),
               cluster_columns = static_cast<double>(schedule.cluster_columns),
               cluster = cluster_rows * cluster_columns;
  const double column_clusters = ceilDivide(work.n, columns * cluster_columns);
  const double column_blocks = column_clusters * cluster_columns, steps = ceilDivide(work.k, depth);
  const double tiles_of_row_block = work.groups * column_blocks;
  const double x_panel = static_cast<double>(panelBytes(schedule.depth, 2));
  const double w_panel = static_cast<double>(panelBytes(schedule.columns, 2));
  const double in_cycles = 1 / (h200::processors * h200::tensor_clock);

  HopperCost cost;
  double copied = 0, longest_line = 0, row_blocks_of_lines = 0;
  for (const EqualLines &kind : work.lines) {
    longest_line = std::max(longest_line, kind.rows);
    const double row_clusters = ceilDivide(kind.rows, rows * cluster_rows);
    row_blocks_of_lines += kind.count * row_clusters * cluster_rows;
    copied += kind.count * work.groups * work.terms *
              (column_clusters * kind.rows * rowCost(2 * work.k, x_panel) +
               row_clusters * work.k * rowCostInBlocks(2 * work.n, 2 * columns, w_panel));
  }
  cost.tiles = row_blocks_of_lines * tiles_of_row_block;
  cost.waves = ceilDivide(cost.tiles, h200::processorsIn(cluster));
  const double reread = schedule.outer == OuterAxis::Types
                            ? rereadWithTypesOutside(work, rows, tiles_of_row_block)
                            : rereadWithGroupsOutside(work, rows, column_blocks);
  cost.memory = (work.x_bytes + work.bank_bytes + work.y_bytes + reread) / h200::memory_bytes_per_us;
  const double in_flight = static_cast<double>(schedule.stages * stageBytes(schedule));
  cost.loads = copied / h200::cache_bytes_per_us * std::max(1.0, bytes_in_flight / in_flight);

  // One instruction multiplies 64 of its side M by the width of its side N, 16 deep. Below a width of 64
  // reading the other side takes longer.
  const double width = static_cast<double>(schedule.instructionWidth());
  const double instruction = std::max(width / 2, 16 + width / 4);
  const double narrow = w_panel == full_row_bytes && x_panel == full_row_bytes ? 1 : narrow_panels;
  auto multiplied = [&](double deep) {
    return static_cast<double>(schedule.warpgroups()) * ceilDivide(deep, 16) * instruction;
  };
  const double copies = 2 * depth / x_panel + 2 * columns / w_panel;
  auto waiting = [&](double deep) {
    return std::max(0.0, copies * cycles_per_copy - multiplied(deep)) + cycles_per_stage +
           (cluster > 1 ? cycles_per_shared_stage : 0);
  };
  // The last step of a term multiplies only what is left of its group.
  const double last = work.k - (steps - 1) * depth, terms_of_tiles = cost.tiles * work.terms;
  cost.products = floorOf(work).tensor;
  cost.padding = std::max(0.0, terms_of_tiles * multiplied(work.k) * narrow * in_cycles - cost.products);
  cost.feeding = terms_of_tiles * ((steps - 1) * waiting(depth) + waiting(last)) * narrow * in_cycles;
  const double written = rows * columns * static_cast<double>(byteWidth(dataType(output))) / 128 * 2;
  cost.store = cost.tiles * (cycles_per_tile + written) * in_cycles;

  // The last tile of the busiest processor may well be a full one with the most terms.
  const double most = work.most_terms / work.terms;
  const double full_tile =
      work.most_terms * (std::min(rows, longest_line) * rowCost(2 * work.k, x_panel) / cluster_columns +
                         work.k * rowCost(2 * std::min(columns, work.n), w_panel) / cluster_rows);
  auto uneven = [&](double longest) { return (cost.waves - 1 + longest) * h200::processors / cost.tiles; };
  cost.uneven_loads = uneven(full_tile * cost.tiles / copied);
  cost.uneven_tensor = uneven((most * (cost.tensor() - cost.store) + cost.store) / cost.tensor());
  double parts[] = {cost.memory, cost.loads * cost.uneven_loads, cost.tensor() * cost.uneven_tensor};
  cost.launch = h200::launch_us;
  std::sort(parts, parts + 3);
  cost.tail = parts[2] - cost.bound();
  cost.unhidden = exposed * (parts[1] + exposed * parts[0]);
  cost.caution = (further_warpgroup * std::max(0.0, static_cast<double>(schedule.warpgroups()) - 2) +
                  half_depth * std::log2(64 / depth) + doubled_cluster * std::log2(cluster)) *
                 (cost.total() - cost.launch);
  return cost;
}

HopperCost::Part HopperCost::boundBy() const {
  const double loading = loads * uneven_loads, multiplying = tensor() * uneven_tensor;
  if (memory >= loading && memory >= multiplying)
    return Part::Memory;
  return loading >= multiplying ? Part::Loads : Part::Tensor;
}

double HopperCost::bound() const {
  switch (boundBy()) {
  case Part::Memory:
    return memory;
  case Part::Loads:
    return loads;
  case Part::Tensor:
    break;
  }
  return tensor();
}

double HopperCost::total() const { return launch + bound() + tail + unhidden + caution; }

HopperCost hopperCost(const algebras::Layer &layer, const HopperSchedule &schedule, HopperOutput output,
                      std::int64_t m) {
  return hopperCost(projectionWork(layer, m, dataType(output)), schedule, output);
}

HopperSchedule chooseHopperSchedule(const algebras::Layer &layer, std::int64_t m, HopperOutput output) {
  requireHopperLayer(layer, output);
  const ProjectionWork work = projectionWork(layer, m, dataType(output));
  const std::vector<HopperSchedule> candidates = hopperCandidates(layer, output);
  const HopperSchedule *best = nullptr;
  double least = 0;
  for (const HopperSchedule &candidate : candidates) {
    const double cost = hopperCost(work, candidate, output).total();
    if (!best || cost < least) {
      best = &candidate;
      least = cost;
    }
  }
  // 64 x 16, 16 deep is a candidate for every layer: at least one is there.
  return *best;
}

} // namespace compiler
