// What a schedule of kernels whose threads copy would cost: bytes, tensor cores, shared memory, instructions,
// latency.
#include "compiler/schedule/sizes.h"
#include "compiler/schedule/staged.h"
#include "compiler/schedule/unequal_turns.h"

#include <algorithm>
#include <cmath>

namespace compiler {
namespace {

// Assumptions in cycles, to be calibrated on a device.
// A step meets at a barrier, and each of its instruction depths loads operands and then multiplies: where one
// block has a multiprocessor to itself, nothing hides that.
constexpr double cycles_per_step = 60, cycles_per_depth = 60;
// Filling the ring before the first step, and the last stores.
constexpr double cycles_per_tile = 900;
// A store of a warp has pieces of 8 rows, as many lanes to a row, and each piece takes its time, whatever its
// bytes. Measured on an H200: where stores bind, all multiprocessors together write 64 pieces in a
// nanosecond.
constexpr double lanes_per_row = 4, cycles_per_piece = 3.6, widest_bytes = 16, pair_columns = 2;
// Copies of single elements go through registers, so that a step waits for memory, more than once where they
// are many, and then for their way into shared memory. Fitted to kernels measured on an H200.
constexpr double waits_of_single_copies = 5;
// Instructions around a copy of one vector: address, mask, copy. Through registers there are more.
constexpr double instructions_per_copy = 5, instructions_per_element = 9;
// Of a kernel that finds its rows in a list: what each copy of a vector adds, a look at the row's entry and a
// multiplication of 64 bits; what a step waits for these looks, which are at the first-level cache; and a
// number of a tile that has no rows: where its type's rows begin and end, and a comparison.
constexpr double instructions_per_entry = 5, cycles_per_look = 40, cycles_per_empty_tile = 120;
// Of a tile that has some: where its type's rows begin, and then their entries, before the first copy.
constexpr double waits_of_listed_tile = 2;
// What that takes in steps, where blocks are compared.
constexpr double steps_of_tile_end = 4;
// Sectors, in which the second-level cache hands out memory.
constexpr double sector_bytes = 32;
// Registers that ptxas 12.9 gives a thread beside its sums, 90 to 160, and how many it has at most; for
// counting how many blocks share a multiprocessor. It takes what it likes: held to the blocks that are
// counted here, it spills.
constexpr double registers_beside_sums = 130;

/// Bytes of the sectors that a row of `bytes` touches, wherever it begins.
double sectors(double bytes) { return bytes + sector_bytes / 2; }

/// What one step of one block takes of a multiprocessor on average, in cycles.
struct Step {
  double products, shared, issue, latency;
};

/// Tiles and what they take together.
struct TileWork {
  double memory_bytes;         ///< of operands and result, once each
  double multiplied;           ///< of a step's depth, on average: the last step of a term has what is left
  double tiles = 0, steps = 0; ///< of all tiles
  double copied = 0;           ///< bytes
  double weights = 1;          ///< weight matrices, of each of which a tile has its columns
  double results = 1;
  // Where rows come from a list.
  double listed = 0;     ///< elements of such rows in a step
  double empty = 0;      ///< numbers of tiles without rows
  double list_waits = 0; ///< of a tile, in cycles
  double grouping = 0;   ///< making the list, in microseconds

  /// Rows come from the list, `entries` of them in each of so many reads of two of its parts, and so many
  /// elements of them in a step.
  void readList(const ListedRows &list, double reads, double entries, double elements,
                const GpuMachine &machine) {
    listed = elements;
    list_waits = waits_of_listed_tile * machine.memory_latency;
    memory_bytes += list.bytes();
    copied += reads * 2 * sectors(4 * entries);
    grouping = groupingTime(list, machine);
  }
};

} // namespace

/// Warps read their rows for each weight matrix.
static Step stepOf(const TileWork &work, const Sizes &size, const GpuMachine &machine) {
  const double elements = size.rows + work.weights * size.columns;
  const double row_tiles = size.rows / size.warp_rows / 16,
               column_tiles = size.columns / size.warp_columns / 8;
  const bool single = size.vector == 1;
  Step step;
  step.products = work.weights * size.rows * size.columns * work.multiplied / machine.macs_per_cycle;
  // Every warp reads its rows of A and its columns of B; all of the slot is written.
  step.shared =
      2 *
      (work.weights * work.multiplied * (size.rows * size.warp_columns + size.columns * size.warp_rows) +
       size.depth * elements) /
      machine.shared_bytes_per_cycle;
  const double copies =
      elements * size.depth / size.vector / 32 * (single ? instructions_per_element : instructions_per_copy);
  const double multiplies = work.weights * size.warps * work.multiplied / 16 *
                            (row_tiles * column_tiles + row_tiles + column_tiles / 2);
  const double looks = work.listed / size.vector / 32 * instructions_per_entry;
  step.issue = (copies + looks + multiplies) / machine.issues_per_cycle;
  step.latency = cycles_per_step + work.multiplied / 16 * cycles_per_depth +
                 (single ? waits_of_single_copies * machine.memory_latency : 0.0) +
                 (work.listed > 0 ? cycles_per_look : 0);
  return step;
}

/// Blocks that share a multiprocessor, as far as there are tiles for them.
static double blocksTogether(const TileWork &work, const StagedSchedule &schedule, const Sizes &size,
                             const GpuMachine &machine) {
  const auto stage = static_cast<double>(stageBytes(schedule, static_cast<int64_t>(work.weights)));
  const double sums = work.weights * (size.rows * size.columns) / size.threads;
  const double most = machine.blocksTogether(
      size.threads, std::min<double>(registers_of_thread, sums + registers_beside_sums), size.stages * stage);
  return std::min(most, std::max(1.0, std::ceil(work.tiles / machine.multiprocessors)));
}

/// `uneven` is how much longer the busiest multiprocessor takes than all do on average.
static Cost costOfTiles(const TileWork &work, const Sizes &size, algebras::DataType output,
                        const GpuMachine &machine, double together, double uneven) {
  const double memory = work.memory_bytes / machine.memory_bytes_per_us;
  // A step waits for its own group: the others of the ring are on their way.
  const double in_flight =
      together * (size.stages - 1) * 2 * size.depth * (size.rows + work.weights * size.columns);
  const double loads =
      work.copied / machine.cache_bytes_per_us * std::max<double>(1.0, machine.bytes_in_flight / in_flight);

  // Cycles of one multiprocessor, spread over all.
  const double in_us = 1 / (machine.multiprocessors * machine.clock);
  const Step step = stepOf(work, size, machine);
  const double products = work.steps * step.products * in_us, shared = work.steps * step.shared * in_us,
               issue = work.steps * step.issue * in_us,
               latency = work.steps * step.latency / together * in_us;
  // Lanes write what they copy at a time, up to 16 bytes, or two single elements one after the other.
  const double written = std::clamp(widest_bytes / static_cast<double>(byteWidth(output)), pair_columns,
                                    std::max(pair_columns, size.vector));
  const double pieces = size.rows * size.columns / (lanes_per_row * written) * (size.vector == 1 ? 2 : 1);
  const double store = work.results * pieces * cycles_per_piece;
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
  addSideBySide(cost, {.launch = machine.launch_us, .grouping = work.grouping, .busiest_decides = true});
  return cost;
}

/// How much longer the busiest of so many blocks takes than all do on average, where tiles are of two
/// lengths. Where the long ones do not come first, one of `longest` may come last.
static double unevenness(const UnequalTurns &turns, double blocks, double busiest_without_order,
                         bool ordered) {
  const double busiest = ordered ? turns.busiest(blocks) : busiest_without_order;
  return std::max(1.0, busiest * blocks / turns.total());
}

Cost threadsCost(const ProjectionWork &work, const StagedSchedule &schedule, algebras::DataType output,
                 const GpuMachine &machine) {
  const Sizes size(schedule);
  const double column_blocks = ceilDivide(work.n, size.columns),
               depth_blocks = ceilDivide(work.k, size.depth);
  TileWork all{work.x_bytes + work.weight_bytes + work.y_bytes, 16 * ceilDivide(work.k, 16) / depth_blocks};
  all.weights = work.weights;
  all.results = work.results;
  std::vector<EqualSegments> segments = work.segments;
  if (work.list)
    segments = {{work.types, work.list->rows() / work.types}};
  for (const EqualSegments &kind : segments) {
    const double row_blocks =
        work.list ? work.list->blocks(size.rows) / work.types : ceilDivide(kind.rows, size.rows);
    all.tiles += kind.count * row_blocks * work.groups * column_blocks;
    const double weight_rows = work.transposed ? work.n * depth_blocks * sectors(2 * work.k / depth_blocks)
                                               : work.k * column_blocks * sectors(2 * work.n / column_blocks);
    all.copied += kind.count * work.groups * work.terms *
                  (column_blocks * kind.rows * depth_blocks * sectors(2 * work.k / depth_blocks) +
                   work.weights * row_blocks * weight_rows);
  }
  all.steps = all.tiles * work.terms * depth_blocks;
  if (work.list) {
    all.readList(*work.list, all.tiles, size.rows, size.rows * size.depth, machine); // of X, and of Y
    all.empty =
        (work.list->numberedBlocks(size.rows) - work.list->blocks(size.rows)) * work.groups * column_blocks;
  }
  const double together = blocksTogether(all, schedule, size, machine),
               blocks = machine.multiprocessors * together;
  if (!work.transposed)
    return costOfTiles(all, size, output, machine, together,
                       ceilDivide(all.tiles, machine.multiprocessors) * machine.multiprocessors / all.tiles);
  // Some groups have many more terms than others.
  auto time = [&](double terms) { return terms * depth_blocks + steps_of_tile_end; };
  const auto [long_terms, short_terms] = work.termsOfLongAndShort(schedule.longest_first);
  const double long_tiles = all.tiles * size.longest_first / work.groups;
  const UnequalTurns turns{long_tiles, time(long_terms), all.tiles - long_tiles, time(short_terms)};
  return costOfTiles(
      all, size, output, machine, together,
      unevenness(turns, blocks,
                 (ceilDivide(all.tiles, blocks) - 1) * turns.short_time + time(work.most_terms),
                 schedule.longest_first > 0));
}

Cost threadsCost(const WeightGradientWork &work, const StagedSchedule &schedule, algebras::DataType output,
                 const GpuMachine &machine) {
  const Sizes size(schedule);
  const double feature_blocks = ceilDivide(work.k, size.rows),
               column_blocks = ceilDivide(work.n, size.columns);
  const double tiles_of_rank = work.weight_rows * feature_blocks * column_blocks;
  // Blocks that all types use bring all rows, those of each type its rows once more: bytes that the cache has
  // lost by then.
  const double operands = work.x_bytes + work.dy_bytes,
               again = work.types_by_rank.size() < 2 ? 0 : std::max(0.0, operands - machine.cache_bytes);
  TileWork all{operands + work.dw_bytes + again, size.depth};
  all.tiles = tiles_of_rank * static_cast<double>(work.types_by_rank.size());
  for (const double types : work.types_by_rank)
    all.steps += tiles_of_rank * work.steps(types, size.depth);
  all.copied =
      all.steps * size.depth * (sectors(2 * work.k / feature_blocks) + sectors(2 * work.n / column_blocks));
  if (work.list) // of X, and of dY
    all.readList(*work.list, all.steps, size.depth, size.depth * (size.rows + size.columns), machine);
  const double together = blocksTogether(all, schedule, size, machine),
               blocks = machine.multiprocessors * together;
  auto time = [&](auto begin, auto end) {
    double sum = 0;
    for (auto types = begin; types != end; ++types)
      sum += work.steps(*types, size.depth) + steps_of_tile_end;
    return begin == end ? 0.0 : sum / static_cast<double>(end - begin);
  };
  const auto first_short = work.types_by_rank.begin() + schedule.longest_first;
  const double long_tiles = tiles_of_rank * size.longest_first;
  const UnequalTurns turns{long_tiles, time(work.types_by_rank.begin(), first_short), all.tiles - long_tiles,
                           time(first_short, work.types_by_rank.end())};
  const double longest = work.steps(work.types_by_rank.front(), size.depth) + steps_of_tile_end;
  return costOfTiles(all, size, output, machine, together,
                     unevenness(turns, blocks, turns.busiest(blocks) + (longest - turns.short_time),
                                schedule.longest_first > 0));
}

} // namespace compiler
