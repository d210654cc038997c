// What a schedule of a gradient of the bank would cost: bytes, tensor cores, turns of unequal length.
#include "compiler/schedule/hopper_bank_gradient.h"
#include "compiler/schedule/hopper_model.h"
#include "compiler/schedule/panels.h"
#include "compiler/schedule/unequal_turns.h"

#include <algorithm>
#include <cmath>

namespace compiler {

using namespace hopper_model;

// Threads write sums from their registers, in each instruction a warp 8 rows of 8 columns: whole sectors of
// f32, half ones of bf16, which take as long. An assumption.
static constexpr double bytes_written_per_cycle = 64, bytes_of_sum = 4;

namespace {
/// One step, and the end, of a tile.
struct TileTimes {
  double multiplied; ///< cycles of the tensor cores
  double step;       ///< cycles until the next one can begin
  double end_whole, end_divided;
};
} // namespace

/// As kernels do (compiler/targets/thread_block/bank_steps.cpp): where that takes no more than an eighth more
/// steps than rows as they lie.
static bool goesTypeAfterType(const BankGradientWork &work, double depth) {
  const double as_they_lie = std::ceil(work.rows / depth);
  return work.complete && work.types > 1 &&
         work.stepsTypeAfterType(depth) <= as_they_lie + std::floor(as_they_lie / 8);
}

namespace {
/// Of clusters: a long tile of each, or a short one of each block where they divide long ones alone.
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
    if (of_long >= clusters)
      return 1;
    const double beside =
        (clusters - of_long) * (long_steps + steps_of_end) / (of_short * (short_steps + steps_of_end));
    return 1 - std::min(beside, 1 / beside);
  }
  /// Bytes are what both wait for: those of a tile of dW are as many as a step brings, more or less.
  static constexpr double steps_of_end = 1;
};
} // namespace

static TileTimes timesOf(const HopperSchedule &schedule, const GpuMachine &machine) {
  const double rows = static_cast<double>(schedule.rows), columns = static_cast<double>(schedule.columns),
               depth = static_cast<double>(schedule.depth), split = static_cast<double>(schedule.split);
  const double panels = 2 * (rows / static_cast<double>(panelBytes(schedule.rows, 2)) +
                             columns / static_cast<double>(panelBytes(schedule.columns, 2)));
  const double waits = cycles_per_stage + (schedule.cluster() > 1 ? cycles_per_shared_stage : 0);
  TileTimes times;
  times.multiplied = productCycles(rows, columns, depth);
  times.step = std::max(times.multiplied, panels * cycles_per_copy) + waits;
  const auto end = [&](double blocks) {
    return cycles_per_tile + rows * columns / blocks * bytes_of_sum / bytes_written_per_cycle +
           exchangeCycles(rows * columns, blocks, machine);
  };
  times.end_whole = end(1);
  times.end_divided = end(split);
  return times;
}

Cost hopperBankGradientCost(const BankGradientWork &work, const HopperSchedule &schedule,
                            const GpuMachine &machine) {
  const double rows = static_cast<double>(schedule.rows), columns = static_cast<double>(schedule.columns),
               depth = static_cast<double>(schedule.depth), split = static_cast<double>(schedule.split),
               cluster_rows = static_cast<double>(schedule.cluster_rows),
               cluster_columns = static_cast<double>(schedule.cluster_columns),
               together = static_cast<double>(schedule.blocksTogether());
  const double feature_blocks = ceilDivide(work.k, rows * cluster_rows) * cluster_rows,
               column_blocks = ceilDivide(work.n, columns * cluster_columns) * cluster_columns;
  const double tiles_of_rank = work.bank_rows * feature_blocks * column_blocks;
  const auto ranks = static_cast<double>(work.types_by_rank.size());
  const double in_cycles = 1 / (machine.multiprocessors * machine.dense_clock);
  const TileTimes times = timesOf(schedule, machine);

  // Of the ranks the first are long where they come first, and only they are divided then.
  const bool ordered = schedule.long_groups > 0;
  const auto long_ranks = ordered ? static_cast<double>(schedule.long_groups) : ranks;
  const bool by_type = goesTypeAfterType(work, depth);
  const auto stepsOf = [&](double types) {
    return by_type && types >= work.types ? work.stepsTypeAfterType(depth) : work.steps(types, depth);
  };
  double long_steps = 0, short_steps = 0, rows_used = 0; // of a tile of each rank
  for (std::size_t rank = 0; rank < work.types_by_rank.size(); ++rank) {
    const double types = work.types_by_rank[rank];
    (static_cast<double>(rank) < long_ranks ? long_steps : short_steps) += stepsOf(types);
    rows_used += types / work.types * work.rows;
  }
  const double steps = tiles_of_rank * (long_steps + short_steps);
  const double long_tiles = tiles_of_rank * long_ranks, short_tiles = tiles_of_rank * (ranks - long_ranks);

  Cost cost;
  cost.tiles = long_tiles + short_tiles;
  cost.turns = long_tiles * split + short_tiles;
  cost.waves = cost.turns / machine.multiprocessorsIn(together);

  // A row of a block of features comes with each of its tiles, in panels as wide as the tile's.
  const double x_panel = static_cast<double>(panelBytes(schedule.rows, 2)),
               dy_panel = static_cast<double>(panelBytes(schedule.columns, 2));
  const double x_received =
      work.bank_rows * column_blocks * rows_used * rowCostInBlocks(2 * work.k, 2 * rows, x_panel);
  const double dy_received =
      work.bank_rows * feature_blocks * rows_used * rowCostInBlocks(2 * work.n, 2 * columns, dy_panel);
  const double received = x_received + dy_received;
  const double sent = x_received / cluster_columns + dy_received / cluster_rows;
  const double in_flight = static_cast<double>((schedule.stages - 1) * stageBytes(schedule));
  const double takes_in = machine.multiprocessors *
                          std::min<double>(machine.port_bytes_per_us, in_flight / machine.engine_latency_us);
  const double loads = std::max(sent / machine.cache_bytes_per_us, received / takes_in);

  const double narrow = dy_panel == full_row_bytes ? 1 : narrow_panels;
  const double products = work.macs / machine.denseMacsPerUs();
  const double padding = std::max(0.0, steps * times.multiplied * narrow * in_cycles - products);
  const double feeding = steps * (times.step - times.multiplied) * narrow * in_cycles;
  double store = (long_tiles * split * times.end_divided + short_tiles * times.end_whole) * in_cycles;
  // While one part of the warpgroups writes its sums, others multiply. Behind the last tile nobody does.
  const double multiplying = products + padding + feeding;
  if (schedule.turns > 1)
    store = std::max(store / std::ceil(cost.waves),
                     (multiplying + store) / static_cast<double>(schedule.turns) - multiplying);

  // What turns hide of the ends of tiles is hidden of each.
  const double ends = (long_tiles * split * times.end_divided + short_tiles * times.end_whole) * in_cycles;
  const double seen = ends > 0 ? store / ends : 0;
  const auto perTile = [](double sum, double count) { return count > 0 ? sum / count : 0; };
  Turns turns;
  turns.clusters = machine.multiprocessorsIn(together) / together;
  turns.of_long = long_tiles * split / together;
  turns.of_short = short_tiles / together;
  turns.long_steps = perTile(long_steps, long_ranks) / split;
  turns.short_steps = perTile(short_steps, ranks - long_ranks);
  turns.most_steps = stepsOf(work.types_by_rank.front()) / split;
  const double uneven_tensor =
      turns.unevenness(ordered, times.step * narrow, seen * times.end_divided, seen * times.end_whole);
  const double uneven_loads =
      std::max(loads, received / takes_in * turns.unevenness(ordered, 1, 0, 0)) / loads;

  // Blocks that all types use bring all rows, those of each type its rows once more.
  const double operands = work.x_bytes + work.dy_bytes;
  const double between = ranks > 1 ? operands * (by_type ? turns.apart() : 1) : 0;
  const double memory =
      (operands + work.dw_bytes + operands * lost(between, machine)) / machine.memory_bytes_per_us;
  cost.busy = {
      {"memory", memory}, {"loads", loads, uneven_loads}, {"tensor", multiplying + store, uneven_tensor}};
  cost.arithmetic = {{"products", products}, {"padding", padding}, {"feeding", feeding}, {"store", store}};
  addUp(cost, schedule, together, machine);
  return cost;
}

} // namespace compiler
