// What a gradient of the weight matrix by kernels whose blocks the copy engine moves would cost: bytes,
// tensor cores, turns of unequal length.
#include "compiler/schedule/engine_parts.h"
#include "compiler/schedule/unequal_turns.h"

#include <algorithm>
#include <cmath>

namespace compiler {

using namespace engine_parts;

namespace {
/// Of clusters: a long tile of dW of each, or a short one of each block where they divide long ones alone.
struct Turns {
  double clusters, of_long, of_short;
  double long_steps, short_steps; ///< of one, on average
  double most_steps;              ///< of the longest

  /// How much longer the busiest takes than all do on average.
  double unevenness(bool ordered, double of_step, double long_end, double short_end) const {
    const UnequalTurns times{of_long, long_steps * of_step + long_end, of_short,
                             short_steps * of_step + short_end};
    double busiest = times.busiest(clusters);
    if (!ordered) // one with the most steps may come last
      busiest = (ceilDivide(of_long, clusters) - 1) * times.long_time + most_steps * of_step + long_end;
    return std::max(1.0, busiest * clusters / times.total());
  }

  /// Where the long turns leave clusters over, these go through the types' rows meanwhile, in the order in
  /// which the long ones do: how far the one is ahead of the other at the end, of all rows.
  double apart() const {
    // Bytes are what both wait for: those of a tile of dW are as many as a step brings, more or less.
    constexpr double steps_of_end = 1;
    if (of_long >= clusters)
      return 1;
    const double beside =
        (clusters - of_long) * (long_steps + steps_of_end) / (of_short * (short_steps + steps_of_end));
    return 1 - std::min(beside, 1 / beside);
  }
};
} // namespace

/// As kernels do (compiler/targets/thread_block/weight_steps.cpp): where that takes no more than an eighth
/// more steps than rows as they lie.
static bool goesTypeAfterType(const WeightGradientWork &work, double depth) {
  const double as_they_lie = std::ceil(work.rows / depth);
  return work.complete && work.types > 1 &&
         work.stepsTypeAfterType(depth) <= as_they_lie + std::floor(as_they_lie / 8);
}

Cost engineCost(const WeightGradientWork &work, const StagedSchedule &schedule, algebras::DataType output,
                const GpuMachine &machine) {
  const Sizes size(schedule);
  const ColumnBlocks blocks(schedule, work.n);
  const double feature_blocks = ceilDivide(work.k, size.rows * size.cluster_rows) * size.cluster_rows,
               column_blocks = blocks.all;
  const double tiles_of_rank = work.weight_rows * feature_blocks * column_blocks;
  const auto ranks = static_cast<double>(work.types_by_rank.size());
  const double in_cycles = 1 / (machine.multiprocessors * machine.dense_clock);
  const double x_panel = panelOf(schedule.rows), dy_panel = panelOf(schedule.columns);

  // Of the ranks the first are long where they come first.
  const bool ordered = schedule.longest_first > 0;
  const double long_ranks = ordered ? size.longest_first : ranks;
  const bool by_type = goesTypeAfterType(work, size.depth);
  const auto steps_of = [&](double types) {
    return by_type && types >= work.types ? work.stepsTypeAfterType(size.depth)
                                          : work.steps(types, size.depth);
  };
  double long_steps = 0, short_steps = 0, rows_used = 0; // of a tile of each rank
  for (size_t rank = 0; rank < work.types_by_rank.size(); ++rank) {
    const double types = work.types_by_rank[rank];
    (static_cast<double>(rank) < long_ranks ? long_steps : short_steps) += steps_of(types);
    rows_used += types / work.types * work.rows;
  }
  const double steps = tiles_of_rank * (long_steps + short_steps);
  const Tiles tiles{tiles_of_rank * long_ranks, tiles_of_rank * (ranks - long_ranks), size.split_k};

  Cost cost;
  cost.tiles = tiles.all();
  cost.turns = tiles.blocks();
  cost.waves = cost.turns / machine.multiprocessorsIn(size.together);

  // A row of a block of features comes with each of its tiles. A block arrives whole, also what of it lies
  // outside its group.
  const double x_sent = work.weight_rows * column_blocks * rows_used * 2 * work.k,
               dy_sent = work.weight_rows * feature_blocks * rows_used * 2 * work.n;
  const double sent = x_sent / size.cluster_columns + dy_sent / size.cluster_rows;
  const double received =
      steps * 2 * size.depth * (size.rows + blocks.average([](double, double copied) { return copied; }));
  const double takes_in = takesIn(static_cast<double>((schedule.stages - 1) * stageBytes(schedule)), machine);
  const double loads = std::max(sent / machine.cache_bytes_per_us, received / takes_in);

  const double narrow = dy_panel == full_row_bytes ? 1 : narrow_panels;
  const auto products = [&](double columns) { return productCycles(size.rows, columns, size.depth); };
  const double multiplied = blocks.average([&](double columns, double) { return products(columns); });
  const double step = blocks.average([&](double columns, double copied) {
    const double copies = ceilDivide(2 * size.rows, x_panel) + ceilDivide(2 * copied, dy_panel);
    return std::max(products(columns), copies * cycles_per_copy) + waitsOfStep(schedule);
  });
  const double columns_of_tile = blocks.average([](double columns, double) { return columns; });
  // Sums go through shared memory to the copy engine: they are written there, and read.
  const auto tile_end = [&](double together) {
    const double sums = size.rows * columns_of_tile;
    const double written =
        sums / together * static_cast<double>(byteWidth(output)) / machine.shared_bytes_per_cycle * 2;
    return endOfTile(size.together) + written + reductionCycles(sums, together, machine);
  };
  const double ends = tiles.ends(tile_end(size.split_k), tile_end(1));
  TensorTime tensor(steps * multiplied, steps * (step - multiplied), ends, narrow, in_cycles,
                    floorOf(work, machine).tensor);
  tensor.pingPong(size.ping_pong, cost.waves);

  // What turns hide of the ends of tiles is hidden of each.
  const double seen = ends > 0 ? tensor.store / (ends * in_cycles) : 0;
  const auto per_tile = [](double sum, double count) { return count > 0 ? sum / count : 0; };
  const Turns turns{.clusters = machine.multiprocessorsIn(size.together) / size.together,
                    .of_long = tiles.of_long * size.split_k / size.together,
                    .of_short = tiles.of_short / size.together,
                    .long_steps = per_tile(long_steps, long_ranks) / size.split_k,
                    .short_steps = per_tile(short_steps, ranks - long_ranks),
                    .most_steps = steps_of(work.types_by_rank.front()) / size.split_k};
  const double uneven_tensor =
      turns.unevenness(ordered, step * narrow, seen * tile_end(size.split_k), seen * tile_end(1));
  const double uneven_loads =
      std::max(loads, received / takes_in * turns.unevenness(ordered, 1, 0, 0)) / loads;

  // Blocks that all types use bring all rows, those of each type its rows once more.
  const double operands = work.x_bytes + work.dy_bytes;
  const double between = ranks > 1 ? operands * (by_type ? turns.apart() : 1) : 0;
  const double memory = (inLines(work.x_bytes, 2 * work.k) + inLines(work.dy_bytes, 2 * work.n) +
                         inLines(work.dw_bytes, static_cast<double>(byteWidth(output)) * work.n) +
                         operands * lost(between, machine)) /
                        machine.memory_bytes_per_us;
  const double sums_moved =
      2 * static_cast<double>(byteWidth(output)) * cost.tiles * size.rows * columns_of_tile;
  const double operands_read = steps * blocks.average([&](double columns, double) {
    return operandBytes(size.rows, columns, size.depth);
  });
  const double port = portTime(operands_read + received + sums_moved, machine);
  addParts(cost, memory, {"loads", loads, uneven_loads}, port, tensor, uneven_tensor, schedule, machine);
  return cost;
}

} // namespace compiler
