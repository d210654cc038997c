// What a product by kernels whose blocks the copy engine moves would cost: bytes, tensor cores, waves.
#include "compiler/schedule/engine_parts.h"
#include "compiler/schedule/unequal_turns.h"

#include <algorithm>
#include <cmath>

namespace compiler {

using namespace engine_parts;

// Between two walks over groups the stationary rows change: the pipeline runs empty and fills again.
static constexpr double cycles_per_walk = 1500;

namespace {
/// Tiles and terms of a product under a schedule. Where a tile has several types, the term that they share is
/// one of the tile, and the others are one type's own. So they are where rows are stationary. Else all are a
/// type's own.
struct TileCounts {
  TileCounts(const ProjectionWork &work, const StagedSchedule &schedule);

  double row_blocks = 0;       ///< of all segments, in whole clusters
  double tiles_of_columns = 0; ///< tiles that have the same group and columns
  double own_terms = 0;        ///< of a type and a group, on average
  double shared_terms = 0;     ///< of a tile
  double most_own_terms = 0;   ///< of a tile, of all its types
  double used_bytes = 0;       ///< of the blocks of the weight matrix that the types of a tile use
  double walks = 0;            ///< over groups, of one block of rows; 0 where no rows are stationary
  std::vector<EqualSegments>
      segments; ///< or where tiles have several types groups of segments; rows in blocks
};

/// One term, of one type or of all that a tile has, `depth` of it in a step.
struct TermCost {
  /// Of the rows of so many types, which may be in shared memory already. On average over blocks of columns.
  TermCost(const ProjectionWork &work, const StagedSchedule &schedule, const ColumnBlocks &blocks,
           double types, bool stationary);

  double multiplied = 0; ///< cycles of the tensor cores
  double stages = 0;     ///< cycles until the next one can begin
  double bytes;          ///< that one of its steps loads
  double read = 0;       ///< bytes that the tensor cores read of shared memory
};

} // namespace

/// Columns of the weight matrix that a block of columns copies. Of a transposed one they are rows of boxes,
/// and a box comes whole.
static double copiedOf(const ProjectionWork &work, const ColumnBlocks &blocks) {
  return work.transposed ? blocks.copied : blocks.average([](double, double copied) { return copied; });
}

TileCounts::TileCounts(const ProjectionWork &work, const StagedSchedule &schedule) {
  const Sizes size(schedule);
  double left_over = 0; // of the group of segments that the kind before has begun
  for (const EqualSegments &kind : work.segments) {
    const double blocks = ceilDivide(kind.rows, size.rows * size.cluster_rows) * size.cluster_rows;
    row_blocks += kind.count * blocks;
    // Longer segments come first: a group of segments is as long as its first.
    const double begun = ceilDivide(std::max(0.0, kind.count - left_over), size.types);
    left_over += begun * size.types - kind.count;
    if (begun > 0)
      segments.push_back({begun, blocks});
    tiles_of_columns += begun * blocks;
  }
  if (schedule.stationary_groups > 0)
    walks = ceilDivide(work.groups, size.stationary_groups);
  if (!schedule.sharesTypes()) {
    own_terms = work.terms;
    most_own_terms = work.most_terms;
    used_bytes = work.type_bytes;
    return;
  }
  // Of 2 q - 1 blocks in a row of the weight matrix and its diagonal, q are the diagonal, which types share.
  own_terms = work.terms - 1;
  shared_terms = 1;
  most_own_terms = schedule.types < static_cast<int64_t>(work.groups) ? size.types : size.types - 1;
  const double diagonal = work.type_bytes / work.terms;
  used_bytes = diagonal + size.types * (work.type_bytes - diagonal);
}

TermCost::TermCost(const ProjectionWork &work, const StagedSchedule &schedule, const ColumnBlocks &blocks,
                   double types, bool stationary) {
  const Sizes size(schedule);
  const double loaded = stationary ? 0 : types;
  const bool rows_on_m = schedule.rows_on == RowSide::M;
  // One for each panel. A transposed weight matrix lies in panels along its depth, as rows do.
  const double depth_panels = 2 * size.depth / panelOf(schedule.depth);
  const auto copies = [&](double copied) {
    const double of_weight =
        work.transposed ? depth_panels : ceilDivide(2 * copied, panelOf(schedule.columns));
    return loaded * depth_panels + work.weights * of_weight;
  };
  const auto add = [&](double steps, double deep) {
    const auto products = [&](double columns) {
      return work.weights * (rows_on_m ? productCycles(types * size.rows, columns, deep)
                                       : productCycles(columns, size.rows, deep));
    };
    multiplied += steps * blocks.average([&](double columns, double) { return products(columns); });
    stages += steps * blocks.average([&](double columns, double copied) {
      return std::max(products(columns), copies(copied) * cycles_per_copy) + waitsOfStep(schedule);
    });
    read += steps * work.weights * blocks.average([&](double columns, double) {
      return rows_on_m ? operandBytes(types * size.rows, columns, deep)
                       : operandBytes(columns, size.rows, deep);
    });
  };
  // The last step multiplies only what is left of the group.
  const double steps = ceilDivide(work.k, size.depth);
  add(steps - 1, size.depth);
  add(1, work.k - (steps - 1) * size.depth);
  bytes = 2 * size.depth * (loaded * size.rows + work.weights * copiedOf(work, blocks));
}

/// Bytes that come from memory beyond the first time, where all groups of a type follow one another: column
/// block by column block, then group, row block, segment. What a block of rows reads of the weight matrix
/// comes back with the next one, and what types share with the next type.
static double rereadWithTypesOutside(const ProjectionWork &work, const TileCounts &counts,
                                     double turns_of_row_block, const GpuMachine &machine) {
  const double together = std::max(1.0, std::floor(machine.multiprocessors / turns_of_row_block));
  double segments = 0, within = 0;
  for (const EqualSegments &kind : counts.segments) {
    segments += kind.count;
    within += kind.count * (ceilDivide(kind.rows, together) - 1) * counts.used_bytes;
  }
  const double across = std::max(0.0, segments * counts.used_bytes - work.weight_bytes);
  return within * lost(counts.used_bytes, machine) +
         across * lost(work.intervals ? work.weight_bytes : counts.used_bytes, machine);
}

/// The same where all rows of a group follow one another. Rows come back with the next group that reads them,
/// a group's part of the weight matrix with the next rows. Rows are in memory in pieces as wide as a group,
/// and the neighbour of a piece is needed much later: both fetch the sector that they share, and write it.
static double rereadWithGroupsOutside(const ProjectionWork &work, const TileCounts &counts,
                                      double turns_of_group, const GpuMachine &machine) {
  constexpr double sector = 32, bytes_beyond_a_piece = sector / 2;
  const double together = std::max(1.0, std::floor(machine.multiprocessors / turns_of_group));
  const double weight_of_group = work.weight_bytes / work.groups;
  const double used_weights = counts.tiles_of_columns * counts.used_bytes / work.groups;
  const double input_groups = work.x_bytes / (2 * work.rows() * work.k);
  const double used_x = work.x_bytes * work.terms * work.groups / input_groups;
  const double x_of_group = used_x / work.groups, y_of_group = work.y_bytes / work.groups;
  auto overhang = [&](double row_bytes) {
    return std::fmod(row_bytes, sector) == 0 ? 0 : bytes_beyond_a_piece / row_bytes;
  };
  return work.groups * std::max(0.0, used_weights / together - weight_of_group) *
             lost(weight_of_group, machine) +
         std::max(0.0, used_x - work.x_bytes) * lost(x_of_group + weight_of_group + y_of_group, machine) +
         work.x_bytes * overhang(2 * work.k) +
         work.y_bytes * overhang(work.y_bytes / (work.rows() * work.groups));
}

/// The tiles of a gradient of X by number, in whole clusters.
static NumberedTiles numberedTiles(const ProjectionWork &work, const StagedSchedule &schedule) {
  NumberedTiles tiles{.types = work.types, .groups = work.groups};
  for (const EqualSegments &kind : work.segments)
    tiles.segments += kind.count;
  tiles.rows = ceilDivide(work.longestSegment(), static_cast<double>(schedule.rows * schedule.cluster_rows));
  tiles.columns = ceilDivide(work.n, static_cast<double>(schedule.columns * schedule.cluster_columns));
  tiles.groups_outside = schedule.outer == OuterAxis::Groups;
  return tiles;
}

Cost engineCost(const ProjectionWork &work, const StagedSchedule &schedule, algebras::DataType output,
                const GpuMachine &machine) {
  if (work.transposed && schedule.stationary_groups > 0)
    return stationarySumsCost(work, schedule, output, machine);
  const Sizes size(schedule);
  const bool stationary = schedule.stationary_groups > 0, ordered = schedule.longest_first > 0;
  // A cluster takes its tiles together, also those that are past the end of a segment or of a group.
  const ColumnBlocks blocks(schedule, work.n, work.results > 1);
  const double column_blocks = blocks.all;
  const double tiles_of_row_block = work.groups * column_blocks;
  const double x_panel = panelOf(schedule.depth),
               w_panel = work.transposed ? x_panel : panelOf(schedule.columns);
  const double in_cycles = 1 / (machine.multiprocessors * machine.dense_clock);
  const TileCounts counts(work, schedule);
  const TermCost own(work, schedule, blocks, 1, stationary),
      shared(work, schedule, blocks, size.types, false);

  Cost cost;
  cost.tiles = counts.tiles_of_columns * tiles_of_row_block;
  const double of_long = ordered ? cost.tiles * size.longest_first / work.groups : cost.tiles;
  const Tiles tiles{of_long, cost.tiles - of_long, size.split_k};
  const double blocks_of_tile = tiles.blocks() / cost.tiles;
  cost.turns = stationary ? counts.tiles_of_columns * counts.walks : cost.tiles * blocks_of_tile;
  cost.waves = cost.turns / machine.multiprocessorsIn(size.together);
  const double turns_of_row_block = stationary ? counts.walks : tiles_of_row_block * blocks_of_tile;
  double reread =
      schedule.outer == OuterAxis::Types
          ? rereadWithTypesOutside(work, counts, turns_of_row_block, machine)
          : rereadWithGroupsOutside(work, counts, stationary ? 1 : column_blocks * blocks_of_tile, machine);
  // Behind the long tiles all rows come once more.
  if (ordered && tiles.of_short > 0)
    reread += work.x_bytes * lost(work.x_bytes + work.weight_bytes, machine);
  const double memory = (inLines(work.x_bytes, 2 * work.k) +
                         inLines(work.weight_bytes, 2 * (work.transposed ? work.k : work.n)) +
                         inLines(work.y_bytes, static_cast<double>(byteWidth(output)) * work.n) + reread) /
                        machine.memory_bytes_per_us;

  // How often a row of X comes to a processor: with every term of a tile, or of its own group once for a
  // walk.
  const double times = stationary ? tiles_of_row_block + counts.walks : tiles_of_row_block * work.terms;
  const double weight_blocks =
      work.groups * (counts.row_blocks * counts.own_terms + counts.tiles_of_columns * counts.shared_terms);
  // What lies outside its group the cache does not send, and what blocks of a cluster share it sends once.
  const double x_sent = times * work.rows() * 2 * work.k,
               weight_sent = work.weights * weight_blocks * 2 * work.k * work.n;
  const double sent = x_sent / size.cluster_columns + weight_sent / size.cluster_rows;
  // A block arrives whole: zeros take as long.
  const double depth_of_steps = ceilDivide(work.k, size.depth) * size.depth;
  const double x_received = times * counts.row_blocks * size.rows * 2 * depth_of_steps;
  const double weight_received =
      work.weights * weight_blocks * column_blocks * copiedOf(work, blocks) * 2 * depth_of_steps;
  const double received = x_received + weight_received;
  const double own_terms = counts.row_blocks * tiles_of_row_block * counts.own_terms;
  const double shared_terms = cost.tiles * counts.shared_terms;
  // Of the slots one is multiplied from. They have room for the rows of all types, and in most steps one of
  // these has some.
  const double in_flight =
      (size.stages - 1) * (own_terms * own.bytes + shared_terms * shared.bytes) / (own_terms + shared_terms);
  const double takes_in = takesIn(in_flight, machine);
  const double loads = std::max(sent / machine.cache_bytes_per_us, received / takes_in);

  const double narrow = w_panel == full_row_bytes && x_panel == full_row_bytes ? 1 : narrow_panels;
  const double stages = own_terms * own.stages + shared_terms * shared.stages;
  const double columns_of_tile = blocks.average([](double columns, double) { return columns; });
  // Of a tile that so many blocks store.
  auto tile_end = [&](double together) {
    const double sums = size.types * size.rows * columns_of_tile / together;
    const double written = sums * static_cast<double>(byteWidth(output)) / machine.shared_bytes_per_cycle * 2;
    return endOfTile(size.together) + work.results * written +
           reductionCycles(sums * together, together, machine);
  };
  const double multiplied = own_terms * own.multiplied + shared_terms * shared.multiplied;
  const double operands_read = own_terms * own.read + shared_terms * shared.read;
  // Sums are written to shared memory, and the copy engine reads them.
  const double sums_moved = 2 * work.results * static_cast<double>(byteWidth(output)) * cost.tiles *
                            size.types * size.rows * columns_of_tile;
  const double port = portTime(operands_read + received + sums_moved, machine);
  const double ends =
      tiles.ends(tile_end(size.split_k), tile_end(1)) + (stationary ? cost.turns * cycles_per_walk : 0);
  TensorTime tensor(multiplied, stages - multiplied, ends, narrow, in_cycles, floorOf(work, machine).tensor);
  tensor.pingPong(size.ping_pong, cost.waves);

  // The last turn of the busiest processor may well be a full one with the most terms. What others leave of
  // the cache's rate it may have, as much as it can take in.
  const double tiles_of_turn = stationary ? size.stationary_groups * column_blocks : 1;
  // Of the steps of a tile the first blocks of a split have one more than the others.
  const double steps = (counts.most_own_terms + counts.shared_terms) * ceilDivide(work.k, size.depth);
  const double share = ceilDivide(steps, size.split_k) / steps;
  const double most = tiles_of_turn * share *
                      (counts.most_own_terms * own.stages + counts.shared_terms * shared.stages) *
                      cost.turns / stages;
  const double most_store = tiles_of_turn * cost.turns / (cost.tiles * size.split_k);
  const double rows_of_tile = stationary ? tiles_of_turn * size.types + size.types
                                         : counts.most_own_terms + counts.shared_terms * size.types;
  const double weight_blocks_of_turn = (counts.most_own_terms + counts.shared_terms) * work.weights *
                                       (stationary ? size.stationary_groups * column_blocks : 1);
  const double full_turn =
      2 * depth_of_steps * (rows_of_tile * size.rows + weight_blocks_of_turn * size.columns);
  auto uneven = [&](double longest) {
    return (std::ceil(cost.waves) - 1 + longest) * machine.multiprocessors / cost.turns;
  };
  double uneven_takes = uneven(share * full_turn * cost.turns / received);
  double uneven_tensor = uneven((most * tensor.multiplying() + most_store * tensor.store) / tensor.all());
  const double clusters = machine.multiprocessorsIn(size.together) / size.together;
  if (ordered) {
    const auto [long_terms, short_terms] = work.termsOfLongAndShort(schedule.longest_first);
    // Turns are of clusters: a long tile of each, or a short one of each block.
    auto uneven_turns = [&](double long_time, double short_time) {
      const UnequalTurns turns{tiles.of_long * size.split_k / size.together, long_time,
                               tiles.of_short / size.together, short_time};
      return turns.busiest(clusters) * machine.multiprocessors / (turns.total() * size.together);
    };
    uneven_takes = uneven_turns(long_terms / size.split_k, short_terms);
    uneven_tensor = uneven_turns(long_terms / size.split_k * own.stages * narrow + tile_end(size.split_k),
                                 short_terms * own.stages * narrow + tile_end(1));
  } else if (work.own_groups_are_long && work.groups > 1) {
    // All tiles are of clusters, divided or not.
    const double turns = cost.tiles * size.split_k / size.together,
                 most_long = numberedTiles(work, schedule).mostLongOf(clusters);
    auto uneven_turns = [&](double long_time, double short_time) {
      const double others = std::max(0.0, ceilDivide(turns, clusters) - most_long);
      const double all = turns / work.groups * (long_time + (work.groups - 1) * short_time);
      return std::max(1.0, (most_long * long_time + others * short_time) * machine.multiprocessors /
                               (all * size.together));
    };
    uneven_takes = uneven_turns(work.groups / size.split_k, 1 / size.split_k);
    uneven_tensor = uneven_turns(work.groups / size.split_k * own.stages * narrow + tile_end(size.split_k),
                                 own.stages / size.split_k * narrow + tile_end(size.split_k));
  }
  const double busiest_takes = received / takes_in * uneven_takes;
  addParts(cost, memory, {"loads", loads, std::max(loads, busiest_takes) / loads}, port, tensor,
           uneven_tensor, schedule, machine);
  return cost;
}

} // namespace compiler
