// What a schedule of kernels whose threads copy would cost: bytes, tensor cores, shared memory, instructions,
// latency.
#include "compiler/schedule/ampere_schedule.h"
#include "compiler/schedule/unequal_turns.h"

#include "algebras/error.h"

#include <algorithm>
#include <cmath>

namespace compiler {

// Assumptions in cycles, to be calibrated on a device.
// A step meets at a barrier, and each of its instruction depths loads operands and then multiplies: where one
// block has a multiprocessor to itself, nothing hides that.
static constexpr double cycles_per_step = 60, cycles_per_depth = 60;
// Filling the ring before the first step, and the last stores.
static constexpr double cycles_per_tile = 900;
// Instructions around a copy of one vector: address, mask, copy. Through registers there are more.
static constexpr double instructions_per_copy = 5, instructions_per_element = 9;
// Of a kernel that finds its rows in a list: what each copy of a vector adds, a look at the row's entry and a
// multiplication of 64 bits; what a step waits for these looks, which are at the first-level cache; and a
// number of a tile that has no rows: where its type's rows begin and end, and a comparison.
static constexpr double instructions_per_entry = 5, cycles_per_look = 40, cycles_per_empty_tile = 120;
// Of a tile that has some: where its type's rows begin, and then their entries, before the first copy.
static constexpr double waits_of_listed_tile = 2;
// What that takes in steps, where blocks are compared.
static constexpr double steps_of_tile_end = 4;
// Sectors, in which the second-level cache hands out memory.
static constexpr double sector_bytes = 32;
// Registers that ptxas 12.9 gives a thread beside its sums, 90 to 160, and how many it has at most; for
// counting how many blocks share a multiprocessor. It takes what it likes: held to the blocks that are
// counted here, it spills.
static constexpr double registers_beside_sums = 130, most_registers = 255;

/// Bytes of the sectors that a row of `bytes` touches, wherever it begins.
static double sectors(double bytes) { return bytes + sector_bytes / 2; }

namespace {
/// What one step of one block takes of a multiprocessor on average, in cycles.
struct Step {
  double products, shared, issue, latency;
};
} // namespace

/// `multiplied` of the depth, on average: the last step of a term multiplies what is left of its group.
/// `listed` of the elements that a step brings lie in rows from a list. The columns are those of each of so
/// many banks; warps read their rows for each.
static Step stepOf(const AmpereSchedule &schedule, double multiplied, double listed, double weights,
                   const GpuMachine &machine) {
  const double rows = static_cast<double>(schedule.rows), columns = static_cast<double>(schedule.columns);
  const double depth = static_cast<double>(schedule.depth), warps = static_cast<double>(schedule.warps());
  const double warp_rows = static_cast<double>(schedule.warp_rows),
               warp_columns = static_cast<double>(schedule.warp_columns);
  const double vector = static_cast<double>(schedule.vector);
  const double row_tiles = rows / warp_rows / 16, column_tiles = columns / warp_columns / 8;
  Step step;
  step.products = weights * rows * columns * multiplied / machine.macs_per_cycle;
  // Every warp reads its rows of A and its columns of B; all of the slot is written.
  step.shared = 2 *
                (weights * multiplied * (rows * warp_columns + columns * warp_rows) +
                 depth * (rows + weights * columns)) /
                machine.shared_bytes_per_cycle;
  const double copies = (rows + weights * columns) * depth / vector / 32 *
                        (schedule.vector > 1 ? instructions_per_copy : instructions_per_element);
  const double multiplies =
      weights * warps * multiplied / 16 * (row_tiles * column_tiles + row_tiles + column_tiles / 2);
  const double looks = listed / vector / 32 * instructions_per_entry;
  step.issue = (copies + looks + multiplies) / machine.issues_per_cycle;
  // Copies of one element go through registers, so that a step waits for memory.
  step.latency = cycles_per_step + multiplied / 16 * cycles_per_depth +
                 (schedule.vector > 1 ? 0 : machine.memory_latency) + (listed > 0 ? cycles_per_look : 0);
  return step;
}

/// How much longer the busiest of so many blocks multiplies than all do on average, where some groups have
/// many more terms than others.
static double unevenness(const ProjectionWork &work, const AmpereSchedule &schedule, double tiles,
                         double blocks) {
  const double pieces = ceilDivide(work.k, static_cast<double>(schedule.depth));
  auto time = [&](double terms) { return terms * pieces + steps_of_tile_end; };
  const auto [long_terms, short_terms] = work.termsOfLongAndShort(schedule.long_groups);
  const double long_tiles = tiles * static_cast<double>(schedule.long_groups) / work.groups;
  const UnequalTurns turns{long_tiles, time(long_terms), tiles - long_tiles, time(short_terms)};
  double busiest = turns.busiest(blocks);
  if (schedule.long_groups == 0) // one with the most terms may come last
    busiest = (ceilDivide(tiles, blocks) - 1) * time(short_terms) + time(work.most_terms);
  return std::max(1.0, busiest * blocks / turns.total());
}

namespace {
/// Tiles and what they take together.
struct TileWork {
  double tiles, steps; ///< of all tiles
  double copied;       ///< bytes
  double memory_bytes; ///< of operands and result, once each
  double multiplied;   ///< of a step's depth, on average
  // Where rows come from a list.
  double listed = 0;     ///< elements of such rows in a step
  double empty = 0;      ///< numbers of tiles without rows
  double list_waits = 0; ///< of a tile, in cycles
  double grouping = 0;   ///< making the list, in microseconds
  double weights = 1;    ///< banks
  double results = 1;
};
} // namespace

/// `uneven` is how much longer the busiest multiprocessor takes than all do on average.
static Cost costOfTiles(const TileWork &work, const AmpereSchedule &schedule, algebras::DataType output,
                        const GpuMachine &machine, double together, double uneven) {
  const double rows = static_cast<double>(schedule.rows), columns = static_cast<double>(schedule.columns);
  const double memory = work.memory_bytes / machine.memory_bytes_per_us;
  // A step waits for its own group: the others of the ring are on their way.
  const double in_flight = together * static_cast<double>(schedule.stages - 1) * 2 *
                           static_cast<double>(schedule.depth) * (rows + work.weights * columns);
  const double loads =
      work.copied / machine.cache_bytes_per_us * std::max<double>(1.0, machine.bytes_in_flight / in_flight);

  // Cycles of one multiprocessor, spread over all.
  const double in_us = 1 / (machine.multiprocessors * machine.clock);
  const Step step = stepOf(schedule, work.multiplied, work.listed, work.weights, machine);
  const double products = work.steps * step.products * in_us, shared = work.steps * step.shared * in_us,
               issue = work.steps * step.issue * in_us,
               latency = work.steps * step.latency / together * in_us;
  // A warp writes 8 columns of a row at once: full sectors of f32, half ones of bf16.
  const double store = work.results * rows * columns * static_cast<double>(byteWidth(output)) / 48;
  const double tile_ends = (work.tiles * ((cycles_per_tile + work.list_waits) / together + store) +
                            work.empty * cycles_per_empty_tile / together) *
                           in_us;
  Cost cost;
  cost.tiles = cost.turns = work.tiles;
  cost.waves = work.tiles / machine.multiprocessors;
  cost.busy = {{"memory", memory},
               {"loads", loads, uneven},
               {"multiprocessor", std::max({products, shared, issue, latency}) + tile_ends, uneven}};
  cost.arithmetic = {{"products", products},
                     {"shared", shared},
                     {"issue", issue},
                     {"latency", latency},
                     {"tile ends", tile_ends}};
  addSideBySide(cost, {.launch = machine.launch_us, .grouping = work.grouping});
  return cost;
}

/// Blocks that share a multiprocessor, as far as there are tiles for them.
static double blocksTogether(const AmpereSchedule &schedule, double tiles, double weights,
                             const GpuMachine &machine) {
  const double stage = static_cast<double>(
      ampereStageBytes(schedule.rows, schedule.columns, schedule.depth, static_cast<std::int64_t>(weights)));
  const double threads = static_cast<double>(schedule.threads());
  const double sums = weights * static_cast<double>(schedule.rows * schedule.columns) / threads;
  const double most = machine.blocksTogether(threads, std::min(most_registers, sums + registers_beside_sums),
                                             static_cast<double>(schedule.stages) * stage);
  return std::min(most, std::max(1.0, std::ceil(tiles / machine.multiprocessors)));
}

Cost ampereCost(const ProjectionWork &work, const AmpereSchedule &schedule, algebras::DataType output,
                const GpuMachine &machine) {
  const double rows = static_cast<double>(schedule.rows), columns = static_cast<double>(schedule.columns);
  const double column_blocks = ceilDivide(work.n, columns),
               depth_blocks = ceilDivide(work.k, static_cast<double>(schedule.depth));
  TileWork all{0, 0, 0, work.x_bytes + work.bank_bytes + work.y_bytes,
               16 * ceilDivide(work.k, 16) / depth_blocks};
  all.weights = work.weights;
  all.results = work.results;
  std::vector<EqualLines> lines = work.lines;
  if (work.list)
    lines = {{work.types, work.list->rows() / work.types}};
  for (const EqualLines &kind : lines) {
    const double row_blocks = work.list ? work.list->blocks(rows) / work.types : ceilDivide(kind.rows, rows);
    all.tiles += kind.count * row_blocks * work.groups * column_blocks;
    const double bank_rows = work.transposed ? work.n * depth_blocks * sectors(2 * work.k / depth_blocks)
                                             : work.k * column_blocks * sectors(2 * work.n / column_blocks);
    all.copied += kind.count * work.groups * work.terms *
                  (column_blocks * kind.rows * depth_blocks * sectors(2 * work.k / depth_blocks) +
                   work.weights * row_blocks * bank_rows);
  }
  all.steps = all.tiles * work.terms * depth_blocks;
  if (work.list) {
    all.listed = rows * static_cast<double>(schedule.depth);
    all.empty = (work.list->numberedBlocks(rows) - work.list->blocks(rows)) * work.groups * column_blocks;
    all.list_waits = waits_of_listed_tile * machine.memory_latency;
    all.memory_bytes += work.list->bytes();
    all.copied += all.tiles * 2 * sectors(4 * rows); // of X, and of Y
    all.grouping = groupingTime(*work.list, machine);
  }
  const double together = blocksTogether(schedule, all.tiles, all.weights, machine);
  const double uneven =
      work.transposed ? unevenness(work, schedule, all.tiles, machine.multiprocessors * together)
                      : ceilDivide(all.tiles, machine.multiprocessors) * machine.multiprocessors / all.tiles;
  return costOfTiles(all, schedule, output, machine, together, uneven);
}

/// Blocks that all types use bring all rows, those of each type its rows once more: bytes that the cache has
/// lost by then.
static double rowsAgain(const BankGradientWork &work, const GpuMachine &machine) {
  if (work.types_by_rank.size() < 2)
    return 0;
  return std::max(0.0, work.x_bytes + work.dy_bytes - machine.cache_bytes);
}

Cost ampereBankGradientCost(const BankGradientWork &work, const AmpereSchedule &schedule,
                            algebras::DataType output, const GpuMachine &machine) {
  const double depth = static_cast<double>(schedule.depth);
  const double feature_blocks = ceilDivide(work.k, static_cast<double>(schedule.rows)),
               column_blocks = ceilDivide(work.n, static_cast<double>(schedule.columns));
  const double tiles_of_rank = work.bank_rows * feature_blocks * column_blocks;
  TileWork all{tiles_of_rank * static_cast<double>(work.types_by_rank.size()), 0, 0,
               work.x_bytes + work.dy_bytes + work.dw_bytes + rowsAgain(work, machine), depth};
  for (const double types : work.types_by_rank)
    all.steps += tiles_of_rank * work.steps(types, depth);
  all.copied =
      all.steps * depth * (sectors(2 * work.k / feature_blocks) + sectors(2 * work.n / column_blocks));
  if (work.list) {
    all.listed = depth * static_cast<double>(schedule.rows + schedule.columns);
    all.list_waits = waits_of_listed_tile * machine.memory_latency;
    all.memory_bytes += work.list->bytes();
    all.copied += all.steps * 2 * sectors(4 * depth); // of X, and of dY
    all.grouping = groupingTime(*work.list, machine);
  }
  const double together = blocksTogether(schedule, all.tiles, all.weights, machine);
  const double blocks = machine.multiprocessors * together;
  auto time = [&](auto begin, auto end) {
    double sum = 0;
    for (auto types = begin; types != end; ++types)
      sum += work.steps(*types, depth) + steps_of_tile_end;
    return begin == end ? 0.0 : sum / static_cast<double>(end - begin);
  };
  const auto first_short = work.types_by_rank.begin() + schedule.long_groups;
  const double long_tiles = tiles_of_rank * static_cast<double>(schedule.long_groups);
  const UnequalTurns turns{long_tiles, time(work.types_by_rank.begin(), first_short), all.tiles - long_tiles,
                           time(first_short, work.types_by_rank.end())};
  double busiest = turns.busiest(blocks);
  if (schedule.long_groups == 0) // a long one may come last
    busiest += work.steps(work.types_by_rank.front(), depth) + steps_of_tile_end - turns.short_time;
  return costOfTiles(all, schedule, output, machine, together,
                     std::max(1.0, busiest * blocks / turns.total()));
}

/// 16 x 16 with one warp, 16 deep, is a candidate for every layer: where there is none, the vector is what is
/// wrong.
static AmpereSchedule chosen(const std::vector<Considered<AmpereSchedule>> &considered,
                             const AmpereSchedule *best) {
  if (!best)
    throw algebras::InputError(considered.back().refusal->reason);
  return *best;
}

AmpereSchedule chooseAmpereSchedule(const algebras::Layer &layer, std::int64_t m, algebras::DataType output,
                                    std::int64_t vector, const GpuMachine &machine) {
  const ProjectionWork work = projectionWork(layer, m, output);
  const auto considered = considerAmpere(layer, vector);
  return chosen(considered, cheapest(considered, [&](const AmpereSchedule &schedule) {
                  return ampereCost(work, schedule, output, machine);
                }));
}

AmpereSchedule chooseAmpereBankGradient(const algebras::Layer &layer, std::int64_t m,
                                        algebras::DataType output, std::int64_t vector,
                                        const GpuMachine &machine) {
  const BankGradientWork work = bankGradientWork(layer, m, output);
  const auto considered = considerAmpereBankGradient(layer, vector);
  return chosen(considered, cheapest(considered, [&](const AmpereSchedule &schedule) {
                  return ampereBankGradientCost(work, schedule, output, machine);
                }));
}

} // namespace compiler
