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
static constexpr double cycles_per_tile =
    600; // filling the pipeline's end, writing sums through shared memory
// Between two walks over groups the rows that are held change: the pipeline runs empty and fills again.
static constexpr double cycles_per_walk = 1500;
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

namespace {
/// Tiles and terms of a product under a schedule. Where a tile has several types, the term that they share is
/// one of the tile, and the others are one type's own. So they are where rows are held. Else all are a type's
/// own.
struct TileCounts {
  TileCounts(const ProjectionWork &work, const HopperSchedule &schedule);

  double row_blocks = 0;         ///< of all lines
  double tiles_of_columns = 0;   ///< tiles that have the same group and columns
  double own_terms = 0;          ///< of a type and a group, on average
  double shared_terms = 0;       ///< of a tile
  double most_own_terms = 0;     ///< of a tile, of all its types
  double used_bytes = 0;         ///< of the blocks of the bank that the types of a tile use
  double walks = 0;              ///< over groups, of one block of rows; 0 where no rows are held
  std::vector<EqualLines> lines; ///< or where tiles have several types groups of lines; rows in blocks
};

/// One step: `depth` of a term, of one type or of all that a tile has.
struct StepCost {
  /// Of the rows of so many types, which may be held already.
  StepCost(const HopperSchedule &schedule, double types, bool held);

  double multiplied; ///< cycles of the tensor cores
  double stage;      ///< cycles until the next one can begin
  double bytes;      ///< that it loads
};
} // namespace

TileCounts::TileCounts(const ProjectionWork &work, const HopperSchedule &schedule) {
  const double types = static_cast<double>(schedule.types);
  double left_over = 0; // of the group of lines that the kind before has begun
  for (const EqualLines &kind : work.lines) {
    const double blocks = ceilDivide(kind.rows, static_cast<double>(schedule.rows));
    row_blocks += kind.count * blocks;
    // Longer lines come first: a group of lines is as long as its first.
    const double begun = ceilDivide(std::max(0.0, kind.count - left_over), types);
    left_over += begun * types - kind.count;
    if (begun > 0)
      lines.push_back({begun, blocks});
    tiles_of_columns += begun * blocks;
  }
  if (schedule.held_groups > 0)
    walks = ceilDivide(work.groups, static_cast<double>(schedule.held_groups));
  if (schedule.types == 1 && walks == 0) {
    own_terms = work.terms;
    most_own_terms = work.most_terms;
    used_bytes = work.type_bytes;
    return;
  }
  // Of 2 q - 1 blocks in a row of the bank and its diagonal, q are the diagonal, which types share.
  own_terms = work.terms - 1;
  shared_terms = 1;
  most_own_terms = schedule.types < static_cast<std::int64_t>(work.groups) ? types : types - 1;
  const double diagonal = work.type_bytes / work.terms;
  used_bytes = diagonal + types * (work.type_bytes - diagonal);
}

StepCost::StepCost(const HopperSchedule &schedule, double types, bool held) {
  const double columns = static_cast<double>(schedule.columns), depth = static_cast<double>(schedule.depth);
  const double rows = types * static_cast<double>(schedule.rows);
  // One instruction multiplies 64 rows by all columns, 16 deep. Below 64 columns reading A takes longer.
  const double instruction = std::max(columns / 2, 16 + columns / 4);
  multiplied = rows / 64 * depth / 16 * instruction;
  const double loaded = held ? 0 : types;
  const double copies = loaded * 2 * depth / static_cast<double>(panelBytes(schedule.depth, 2)) +
                        2 * columns / static_cast<double>(panelBytes(schedule.columns, 2));
  stage = std::max(multiplied, copies * cycles_per_copy) + cycles_per_stage;
  bytes = 2 * depth * (loaded * static_cast<double>(schedule.rows) + columns);
}

/// Bytes of the bank that come from memory beyond the first time. Tiles are walked column block by column
/// block, then group, row block, line: what a block of rows reads of the bank comes back with the next one,
/// and what types share with the next type, unless the cache has lost it meanwhile.
static double rereadBytes(const ProjectionWork &work, const TileCounts &counts, double turns_of_row_block) {
  auto lost = [](double bytes) { return std::max(0.0, 1 - h200::cache_bytes / bytes); };
  const double together = std::max(1.0, std::floor(h200::processors / turns_of_row_block));
  double lines = 0, within = 0;
  for (const EqualLines &kind : counts.lines) {
    lines += kind.count;
    within += kind.count * (ceilDivide(kind.rows, together) - 1) * counts.used_bytes;
  }
  const double across = std::max(0.0, lines * counts.used_bytes - work.bank_bytes);
  return within * lost(counts.used_bytes) +
         across * lost(work.intervals ? work.bank_bytes : counts.used_bytes);
}

HopperCost hopperCost(const ProjectionWork &work, const HopperSchedule &schedule, HopperOutput output) {
  const double rows = static_cast<double>(schedule.rows), columns = static_cast<double>(schedule.columns);
  const double depth = static_cast<double>(schedule.depth), types = static_cast<double>(schedule.types);
  const double column_blocks = ceilDivide(work.n, columns), depth_blocks = ceilDivide(work.k, depth);
  const double tiles_of_row_block = work.groups * column_blocks;
  const double x_panel = static_cast<double>(panelBytes(schedule.depth, 2));
  const double w_panel = static_cast<double>(panelBytes(schedule.columns, 2));
  const double in_cycles = 1 / (h200::processors * h200::tensor_clock);
  const TileCounts counts(work, schedule);
  const bool holds = schedule.held_groups > 0;
  const StepCost own(schedule, 1, holds), shared(schedule, types, false);

  HopperCost cost;
  cost.tiles = counts.tiles_of_columns * tiles_of_row_block;
  cost.turns = holds ? counts.tiles_of_columns * counts.walks : cost.tiles;
  cost.waves = ceilDivide(cost.turns, h200::processors);
  cost.memory = (work.x_bytes + work.bank_bytes + work.y_bytes +
                 rereadBytes(work, counts, holds ? counts.walks : tiles_of_row_block)) /
                h200::memory_bytes_per_us;
  const double bank_blocks =
      work.groups * (counts.row_blocks * counts.own_terms + counts.tiles_of_columns * counts.shared_terms);
  // How often a row of X comes: with every term of a tile, or of its own group once for a walk.
  const double times = holds ? tiles_of_row_block + counts.walks : tiles_of_row_block * work.terms;
  const double copied = times * work.rows() * rowCost(2 * work.k, x_panel) +
                        bank_blocks * work.k * rowCostInBlocks(2 * work.n, 2 * columns, w_panel);
  const double own_steps = counts.row_blocks * tiles_of_row_block * counts.own_terms * depth_blocks;
  const double shared_steps = cost.tiles * counts.shared_terms * depth_blocks;
  // A slot has room for the rows of all types, and in most steps one of them has some.
  const double filled =
      (own_steps * own.bytes + shared_steps * shared.bytes) / ((own_steps + shared_steps) * shared.bytes);
  // Of the slots one is multiplied from.
  const double in_flight = static_cast<double>((schedule.stages - 1) * stageBytes(schedule)) * filled;
  cost.loads = copied / h200::cache_bytes_per_us * std::max(1.0, bytes_in_flight / in_flight);

  const double narrow = w_panel == full_row_bytes && x_panel == full_row_bytes ? 1 : narrow_panels;
  const double multiplied = own_steps * own.multiplied + shared_steps * shared.multiplied;
  const double stages = own_steps * own.stage + shared_steps * shared.stage;
  cost.products = floorOf(work).tensor;
  cost.padding = std::max(0.0, multiplied * narrow * in_cycles - cost.products);
  cost.feeding = (stages - multiplied) * narrow * in_cycles;
  const double written = types * rows * columns * static_cast<double>(byteWidth(dataType(output))) / 128 * 2;
  cost.store =
      (cost.tiles * (cycles_per_tile + written) + (holds ? cost.turns * cycles_per_walk : 0)) * in_cycles;

  // The last turn of the busiest processor may well be a full one with the most terms.
  double longest_line = 0;
  for (const EqualLines &kind : work.lines)
    longest_line = std::max(longest_line, kind.rows);
  const double own_stages = counts.most_own_terms * own.stage,
               shared_stages = counts.shared_terms * shared.stage;
  const double tiles_of_turn = holds ? static_cast<double>(schedule.held_groups) * column_blocks : 1;
  const double most = tiles_of_turn * (own_stages + shared_stages) * depth_blocks * cost.turns / stages;
  const double most_store = tiles_of_turn * cost.turns / cost.tiles;
  const double rows_of_tile =
      holds ? tiles_of_turn * types + types : counts.most_own_terms + counts.shared_terms * types;
  const double bank_rows =
      holds ? static_cast<double>(schedule.held_groups) * rowCostInBlocks(2 * work.n, 2 * columns, w_panel)
            : rowCost(2 * std::min(columns, work.n), w_panel);
  const double full_turn = rows_of_tile * std::min(rows, longest_line) * rowCost(2 * work.k, x_panel) +
                           (counts.most_own_terms + counts.shared_terms) * work.k * bank_rows;
  auto uneven = [&](double longest) { return (cost.waves - 1 + longest) * h200::processors / cost.turns; };
  cost.uneven_loads = uneven(full_turn * cost.turns / copied);
  cost.uneven_tensor =
      uneven((most * (cost.tensor() - cost.store) + most_store * cost.store) / cost.tensor());
  double parts[] = {cost.memory, cost.loads * cost.uneven_loads, cost.tensor() * cost.uneven_tensor};
  cost.launch = h200::launch_us;
  std::sort(parts, parts + 3);
  cost.tail = parts[2] - cost.bound();
  cost.unhidden = exposed * (parts[1] + exposed * parts[0]);
  cost.caution = (further_warpgroup * std::max(0.0, static_cast<double>(schedule.warpgroups()) - 2) +
                  half_depth * std::log2(64 / depth)) *
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
