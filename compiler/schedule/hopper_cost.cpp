// What a schedule would cost: bytes, tensor cores, waves.
#include "compiler/schedule/hopper_model.h"
#include "compiler/schedule/hopper_schedule.h"
#include "compiler/schedule/panels.h"
#include "compiler/schedule/unequal_turns.h"

#include "algebras/error.h"

#include <algorithm>
#include <cmath>

namespace compiler {

using namespace hopper_model;

// Between two walks over groups the rows that are held change: the pipeline runs empty and fills again.
static constexpr double cycles_per_walk = 1500;

namespace {
/// Tiles and terms of a product under a schedule. Where a tile has several types, the term that they share is
/// one of the tile, and the others are one type's own. So they are where rows are held. Else all are a type's
/// own.
struct TileCounts {
  TileCounts(const ProjectionWork &work, const HopperSchedule &schedule);

  double row_blocks = 0;         ///< of all lines, in whole clusters
  double tiles_of_columns = 0;   ///< tiles that have the same group and columns
  double own_terms = 0;          ///< of a type and a group, on average
  double shared_terms = 0;       ///< of a tile
  double most_own_terms = 0;     ///< of a tile, of all its types
  double used_bytes = 0;         ///< of the blocks of the bank that the types of a tile use
  double walks = 0;              ///< over groups, of one block of rows; 0 where no rows are held
  std::vector<EqualLines> lines; ///< or where tiles have several types groups of lines; rows in blocks
};

/// One term, of one type or of all that a tile has, `depth` of it in a step.
struct TermCost {
  /// Of the rows of so many types, which may be held already.
  TermCost(const ProjectionWork &work, const HopperSchedule &schedule, double types, bool held);

  double multiplied; ///< cycles of the tensor cores
  double stages;     ///< cycles until the next one can begin
  double bytes;      ///< that one of its steps loads
};
} // namespace

TileCounts::TileCounts(const ProjectionWork &work, const HopperSchedule &schedule) {
  const double types = static_cast<double>(schedule.types);
  const double cluster_rows = static_cast<double>(schedule.cluster_rows);
  double left_over = 0; // of the group of lines that the kind before has begun
  for (const EqualLines &kind : work.lines) {
    const double blocks =
        ceilDivide(kind.rows, static_cast<double>(schedule.rows) * cluster_rows) * cluster_rows;
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

TermCost::TermCost(const ProjectionWork &work, const HopperSchedule &schedule, double types, bool held) {
  const double columns = static_cast<double>(schedule.columns), depth = static_cast<double>(schedule.depth);
  const double rows = types * static_cast<double>(schedule.rows);
  const double width = static_cast<double>(schedule.instructionWidth());
  const double loaded = held ? 0 : types;
  // One for each panel. A transposed bank lies in panels along its depth, as rows do.
  const double depth_panels = 2 * depth / static_cast<double>(panelBytes(schedule.depth, 2));
  const double bank_panels =
      work.transposed ? depth_panels : 2 * columns / static_cast<double>(panelBytes(schedule.columns, 2));
  const double copies = loaded * depth_panels + work.weights * bank_panels;
  const double waits = cycles_per_stage + (schedule.cluster() > 1 ? cycles_per_shared_stage : 0);
  multiplied = stages = 0;
  auto step = [&](double deep) {
    return productCycles(schedule.rows_on == RowSide::M ? rows : columns, width, deep);
  };
  auto add = [&](double steps, double products) {
    multiplied += steps * products * work.weights;
    stages += steps * (std::max(products * work.weights, copies * cycles_per_copy) + waits);
  };
  // The last step multiplies only what is left of the group.
  const double steps = ceilDivide(work.k, depth);
  add(steps - 1, step(depth));
  add(1, step(work.k - (steps - 1) * depth));
  bytes = 2 * depth * (loaded * static_cast<double>(schedule.rows) + work.weights * columns);
}

/// Bytes that come from memory beyond the first time, where all groups of a type follow one another: column
/// block by column block, then group, row block, line. What a block of rows reads of the bank comes back with
/// the next one, and what types share with the next type.
static double rereadWithTypesOutside(const ProjectionWork &work, const TileCounts &counts,
                                     double turns_of_row_block, const GpuMachine &machine) {
  const double together = std::max(1.0, std::floor(machine.multiprocessors / turns_of_row_block));
  double lines = 0, within = 0;
  for (const EqualLines &kind : counts.lines) {
    lines += kind.count;
    within += kind.count * (ceilDivide(kind.rows, together) - 1) * counts.used_bytes;
  }
  const double across = std::max(0.0, lines * counts.used_bytes - work.bank_bytes);
  return within * lost(counts.used_bytes, machine) +
         across * lost(work.intervals ? work.bank_bytes : counts.used_bytes, machine);
}

/// The same where all rows of a group follow one another. Rows come back with the next group that reads them,
/// a group's part of the bank with the next rows. Rows are in memory in pieces as wide as a group, and the
/// neighbour of a piece is needed much later: both fetch the sector that they share, and write it.
static double rereadWithGroupsOutside(const ProjectionWork &work, const TileCounts &counts,
                                      double turns_of_group, const GpuMachine &machine) {
  constexpr double sector = 32, bytes_beyond_a_piece = sector / 2;
  const double together = std::max(1.0, std::floor(machine.multiprocessors / turns_of_group));
  const double bank_of_group = work.bank_bytes / work.groups;
  const double used_bank = counts.tiles_of_columns * counts.used_bytes / work.groups;
  const double input_groups = work.x_bytes / (2 * work.rows() * work.k);
  const double used_x = work.x_bytes * work.terms * work.groups / input_groups;
  const double x_of_group = used_x / work.groups, y_of_group = work.y_bytes / work.groups;
  auto overhang = [&](double row_bytes) {
    return std::fmod(row_bytes, sector) == 0 ? 0 : bytes_beyond_a_piece / row_bytes;
  };
  return work.groups * std::max(0.0, used_bank / together - bank_of_group) * lost(bank_of_group, machine) +
         std::max(0.0, used_x - work.x_bytes) * lost(x_of_group + bank_of_group + y_of_group, machine) +
         work.x_bytes * overhang(2 * work.k) +
         work.y_bytes * overhang(work.y_bytes / (work.rows() * work.groups));
}

/// The tiles of a gradient by number, in whole clusters.
static NumberedTiles numberedTiles(const ProjectionWork &work, const HopperSchedule &schedule) {
  NumberedTiles tiles{.types = work.types, .groups = work.groups};
  double longest = 0;
  for (const EqualLines &kind : work.lines) {
    tiles.lines += kind.count;
    longest = std::max(longest, kind.rows);
  }
  tiles.rows = ceilDivide(longest, static_cast<double>(schedule.rows * schedule.cluster_rows));
  tiles.columns = ceilDivide(work.n, static_cast<double>(schedule.columns * schedule.cluster_columns));
  tiles.groups_outside = schedule.outer == OuterAxis::Groups;
  return tiles;
}

Cost hopperCost(const ProjectionWork &work, const HopperSchedule &schedule, algebras::DataType output,
                const GpuMachine &machine) {
  const double rows = static_cast<double>(schedule.rows), columns = static_cast<double>(schedule.columns);
  const double depth = static_cast<double>(schedule.depth), types = static_cast<double>(schedule.types);
  // A cluster takes its tiles together, also those that are past the end of a line or of a group.
  const double cluster_rows = static_cast<double>(schedule.cluster_rows),
               cluster_columns = static_cast<double>(schedule.cluster_columns),
               split = static_cast<double>(schedule.split),
               together = static_cast<double>(schedule.blocksTogether());
  const double column_clusters = ceilDivide(work.n, columns * cluster_columns),
               column_blocks = column_clusters * cluster_columns;
  const double tiles_of_row_block = work.groups * column_blocks;
  const double x_panel = static_cast<double>(panelBytes(schedule.depth, 2));
  const double w_panel = work.transposed ? x_panel : static_cast<double>(panelBytes(schedule.columns, 2));
  const double in_cycles = 1 / (machine.multiprocessors * machine.dense_clock);
  const TileCounts counts(work, schedule);
  const bool holds = schedule.held_groups > 0;
  const TermCost own(work, schedule, 1, holds), shared(work, schedule, types, false);

  Cost cost;
  cost.tiles = counts.tiles_of_columns * tiles_of_row_block;
  // Where long groups come first, blocks divide their tiles alone.
  const bool ordered = schedule.long_groups > 0;
  const double long_tiles =
      ordered ? cost.tiles * static_cast<double>(schedule.long_groups) / work.groups : cost.tiles;
  const double short_tiles = cost.tiles - long_tiles;
  const double blocks_of_tile = (long_tiles * split + short_tiles) / cost.tiles;
  cost.turns = holds ? counts.tiles_of_columns * counts.walks : cost.tiles * blocks_of_tile;
  cost.waves = cost.turns / machine.multiprocessorsIn(together);
  const double waves = std::ceil(cost.waves);
  const double turns_of_row_block = holds ? counts.walks : tiles_of_row_block * blocks_of_tile;
  double reread =
      schedule.outer == OuterAxis::Types
          ? rereadWithTypesOutside(work, counts, turns_of_row_block, machine)
          : rereadWithGroupsOutside(work, counts, holds ? 1 : column_blocks * blocks_of_tile, machine);
  // Behind the long tiles all rows come once more.
  if (ordered && short_tiles > 0)
    reread += work.x_bytes * lost(work.x_bytes + work.bank_bytes, machine);
  const double memory =
      (work.x_bytes + work.bank_bytes + work.y_bytes + reread) / machine.memory_bytes_per_us;

  // How often a row of X comes to a processor: with every term of a tile, or of its own group once for a
  // walk.
  const double times = holds ? tiles_of_row_block + counts.walks : tiles_of_row_block * work.terms;
  const double bank_blocks =
      work.groups * (counts.row_blocks * counts.own_terms + counts.tiles_of_columns * counts.shared_terms);
  const double x_received = times * work.rows() * rowCost(2 * work.k, x_panel);
  // A block of the bank has k rows of n columns, or transposed n of k.
  const double block_received = work.transposed ? work.n * rowCost(2 * work.k, w_panel)
                                                : work.k * rowCostInBlocks(2 * work.n, 2 * columns, w_panel);
  const double bank_received = work.weights * bank_blocks * block_received;
  const double received = x_received + bank_received;
  // What blocks of a cluster share, the cache sends once.
  const double sent = x_received / cluster_columns + bank_received / cluster_rows;
  const double own_terms = counts.row_blocks * tiles_of_row_block * counts.own_terms;
  const double shared_terms = cost.tiles * counts.shared_terms;
  // A slot has room for the rows of all types, and in most steps one of them has some.
  const double filled =
      (own_terms * own.bytes + shared_terms * shared.bytes) / ((own_terms + shared_terms) * shared.bytes);
  // Of the slots one is multiplied from.
  const double in_flight =
      static_cast<double>((schedule.stages - 1) *
                          stageBytes(schedule, static_cast<std::int64_t>(work.weights))) *
      filled;
  const double takes_in = machine.multiprocessors *
                          std::min<double>(machine.port_bytes_per_us, in_flight / machine.engine_latency_us);
  const double loads = std::max(sent / machine.cache_bytes_per_us, received / takes_in);

  const double narrow = w_panel == full_row_bytes && x_panel == full_row_bytes ? 1 : narrow_panels;
  const double multiplied = own_terms * own.multiplied + shared_terms * shared.multiplied;
  const double stages = own_terms * own.stages + shared_terms * shared.stages;
  const double products = floorOf(work, machine).tensor;
  const double padding = std::max(0.0, multiplied * narrow * in_cycles - products);
  const double feeding = (stages - multiplied) * narrow * in_cycles;
  // Of a tile that so many blocks store.
  auto tileEnd = [&](double blocks) {
    const double sums = types * rows * columns / blocks;
    const double written = sums * static_cast<double>(byteWidth(output)) / machine.shared_bytes_per_cycle * 2;
    return cycles_per_tile + work.results * written + exchangeCycles(sums * blocks, blocks, machine);
  };
  double store = (long_tiles * split * tileEnd(split) + short_tiles * tileEnd(1) +
                  (holds ? cost.turns * cycles_per_walk : 0)) *
                 in_cycles;

  // While one part of the warpgroups writes its sums, others multiply; each has its share of the tiles.
  // Behind the last tile nobody multiplies.
  const double multiplying = products + padding + feeding;
  if (schedule.turns > 1)
    store =
        std::max(store / waves, (multiplying + store) / static_cast<double>(schedule.turns) - multiplying);
  const double tensor = multiplying + store;

  // The last turn of the busiest processor may well be a full one with the most terms. What others leave of
  // the cache's rate it may have, as much as it can take in.
  double longest_line = 0;
  for (const EqualLines &kind : work.lines)
    longest_line = std::max(longest_line, kind.rows);
  const double tiles_of_turn = holds ? static_cast<double>(schedule.held_groups) * column_blocks : 1;
  // Of the steps of a tile the first blocks of a split have one more than the others.
  const double steps = (counts.most_own_terms + counts.shared_terms) * ceilDivide(work.k, depth);
  const double share = ceilDivide(steps, split) / steps;
  const double most = tiles_of_turn * share *
                      (counts.most_own_terms * own.stages + counts.shared_terms * shared.stages) *
                      cost.turns / stages;
  const double most_store = tiles_of_turn * cost.turns / (cost.tiles * split);
  const double rows_of_tile =
      holds ? tiles_of_turn * types + types : counts.most_own_terms + counts.shared_terms * types;
  const double bank_rows =
      holds ? static_cast<double>(schedule.held_groups) * rowCostInBlocks(2 * work.n, 2 * columns, w_panel)
            : rowCost(2 * std::min(columns, work.n), w_panel);
  const double bank_of_term =
      work.transposed ? std::min(columns, work.n) * rowCost(2 * work.k, w_panel) : work.k * bank_rows;
  const double full_turn = rows_of_tile * std::min(rows, longest_line) * rowCost(2 * work.k, x_panel) +
                           (counts.most_own_terms + counts.shared_terms) * work.weights * bank_of_term;
  auto uneven = [&](double longest) { return (waves - 1 + longest) * machine.multiprocessors / cost.turns; };
  double uneven_takes = uneven(share * full_turn * cost.turns / received);
  double uneven_tensor = uneven((most * multiplying + most_store * store) / tensor);
  const double clusters = machine.multiprocessorsIn(together) / together;
  if (ordered) {
    const auto [long_terms, short_terms] = work.termsOfLongAndShort(schedule.long_groups);
    // Turns are of clusters: a long tile of each, or a short one of each block.
    auto unevenTurns = [&](double long_time, double short_time) {
      const UnequalTurns turns{long_tiles * split / together, long_time, short_tiles / together, short_time};
      return turns.busiest(clusters) * machine.multiprocessors / (turns.total() * together);
    };
    uneven_takes = unevenTurns(long_terms / split, short_terms);
    uneven_tensor = unevenTurns(long_terms / split * own.stages * narrow + tileEnd(split),
                                short_terms * own.stages * narrow + tileEnd(1));
  } else if (work.own_groups_are_long && work.groups > 1) {
    // All tiles are of clusters, divided or not.
    const double turns = cost.tiles * split / together,
                 most_long = numberedTiles(work, schedule).mostLongOf(clusters);
    auto unevenTurns = [&](double long_time, double short_time) {
      const double others = std::max(0.0, ceilDivide(turns, clusters) - most_long);
      const double all = turns / work.groups * (long_time + (work.groups - 1) * short_time);
      return std::max(1.0, (most_long * long_time + others * short_time) * machine.multiprocessors /
                               (all * together));
    };
    uneven_takes = unevenTurns(work.groups / split, 1 / split);
    uneven_tensor = unevenTurns(work.groups / split * own.stages * narrow + tileEnd(split),
                                own.stages / split * narrow + tileEnd(split));
  }
  const double busiest_takes = received / takes_in * uneven_takes;
  cost.busy = {{"memory", memory},
               {"loads", loads, std::max(loads, busiest_takes) / loads},
               {"tensor", tensor, uneven_tensor}};
  cost.arithmetic = {{"products", products}, {"padding", padding}, {"feeding", feeding}, {"store", store}};
  addUp(cost, schedule, together, machine);
  return cost;
}

Cost hopperCost(const algebras::Layer &layer, const HopperSchedule &schedule, algebras::DataType output,
                std::int64_t m, const GpuMachine &machine) {
  return hopperCost(projectionWork(layer, m, output), schedule, output, machine);
}

HopperSchedule chooseHopperSchedule(const algebras::Layer &layer, std::int64_t m, algebras::DataType output,
                                    const GpuMachine &machine) {
  requireHopperLayer(layer);
  const ProjectionWork work = projectionWork(layer, m, output);
  const auto considered = considerHopper(layer, output);
  // 64 x 16, 16 deep is a candidate for every layer, but for one with very many banks.
  const HopperSchedule *best = cheapest(considered, [&](const HopperSchedule &schedule) {
    return hopperCost(work, schedule, output, machine);
  });
  if (!best)
    throw algebras::InputError(considered.back().refusal->reason);
  return *best;
}

} // namespace compiler
