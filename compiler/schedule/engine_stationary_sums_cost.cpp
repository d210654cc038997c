// What a gradient of X would cost whose sums of a type's own group stay while a thread block goes through all
// groups of dY.
#include "compiler/schedule/engine_parts.h"

#include <cmath>

namespace compiler {

using namespace engine_parts;

namespace {
/// One step: the rows of dY come once, and are multiplied by a block of the diagonal and by one of the type's
/// own.
struct Step {
  Step(const StagedSchedule &schedule, double deep) {
    const Sizes size(schedule);
    const bool rows_on_m = schedule.rows_on == RowSide::M;
    const double m = rows_on_m ? size.rows : size.columns, n = rows_on_m ? size.columns : size.rows;
    multiplied = products * productCycles(m, n, deep);
    read = products * operandBytes(m, n, deep);
    // Both operands lie in panels along the depth, a copy for each.
    const double copies = (1 + products) * 2 * size.depth / panelOf(schedule.depth);
    takes = std::max(multiplied, copies * cycles_per_copy) + waitsOfStep(schedule);
  }

  static constexpr double products = 2;
  double multiplied; ///< cycles of the tensor cores
  double takes;      ///< cycles until the next one can begin
  double read;       ///< bytes that the tensor cores read of shared memory
};
} // namespace

Cost engine_parts::stationarySumsCost(const ProjectionWork &work, const StagedSchedule &schedule,
                                      algebras::DataType output, const GpuMachine &machine) {
  const Sizes size(schedule);
  const auto result_bytes = static_cast<double>(byteWidth(output));
  double row_blocks = 0;
  for (const EqualSegments &kind : work.segments)
    row_blocks += kind.count * ceilDivide(kind.rows, size.rows * size.cluster_rows) * size.cluster_rows;
  const double column_blocks = ceilDivide(work.n, size.columns * size.cluster_columns) * size.cluster_columns;

  Cost cost;
  cost.tiles = row_blocks * column_blocks * work.groups;
  cost.turns = row_blocks * column_blocks * size.split_k;
  cost.waves = cost.turns / machine.multiprocessorsIn(size.together);

  // All that run at one time go through the groups together, and read the diagonal once. Between two such
  // waves everything else passes through the cache.
  const double together =
      std::max(1.0, std::floor(machine.multiprocessorsIn(size.together) / (column_blocks * size.split_k)));
  const double waves = std::ceil(row_blocks / together);
  const double diagonal = work.groups * 2 * work.k * work.n;
  const double reread =
      (waves - 1) * diagonal * lost((work.x_bytes + work.weight_bytes + work.y_bytes) / waves, machine);
  const double memory = (inLines(work.x_bytes, 2 * work.k) + inLines(work.weight_bytes, 2 * work.k) +
                         inLines(work.y_bytes, result_bytes * work.n) + reread) /
                        machine.memory_bytes_per_us;

  // Rows come once for each block of columns. What lies outside its group the cache does not send, but it
  // arrives; what blocks of a cluster share it sends once.
  const double steps_of_group = ceilDivide(work.k, size.depth), depth = steps_of_group * size.depth;
  const double weight_blocks = Step::products * row_blocks * work.groups;
  const double sent = 2 * work.k * work.groups * column_blocks * work.rows() / size.cluster_columns +
                      2 * work.k * work.n * weight_blocks / size.cluster_rows;
  const double received =
      2 * depth * column_blocks * (row_blocks * work.groups * size.rows + weight_blocks * size.columns);
  const double in_flight = (size.stages - 1) * 2 * size.depth * (size.rows + Step::products * size.columns);
  const double takes_in = takesIn(in_flight, machine);
  const double loads = std::max(sent / machine.cache_bytes_per_us, received / takes_in);

  const Step whole(schedule, size.depth), last(schedule, work.k - (steps_of_group - 1) * size.depth);
  const auto of_tiles = [&](double Step::*part) {
    return cost.tiles * ((steps_of_group - 1) * whole.*part + last.*part);
  };
  // The tiles of other groups are stored one by one. The stationary sums are, behind the last of them, when
  // the blocks have exchanged them.
  const double sums = size.rows * size.columns, walks = row_blocks * column_blocks;
  const double written = sums * result_bytes / machine.shared_bytes_per_cycle * 2;
  const double ends =
      cost.tiles * endOfTile(size.cluster_rows * size.cluster_columns) + (cost.tiles - walks) * written +
      cost.turns *
          (endOfTile(size.together) + written / size.split_k + reductionCycles(sums, size.split_k, machine));
  const double sums_moved = 2 * result_bytes * sums * cost.tiles;
  const double port = portTime(of_tiles(&Step::read) + received + sums_moved, machine);
  const double narrow = panelOf(schedule.depth) == full_row_bytes ? 1 : narrow_panels;
  const double multiplied = of_tiles(&Step::multiplied);
  const TensorTime tensor(multiplied, of_tiles(&Step::takes) - multiplied, ends, narrow,
                          1 / (machine.multiprocessors * machine.dense_clock), floorOf(work, machine).tensor);

  // All blocks of a cluster but perhaps the last have as many groups.
  const double share = size.stationary_groups * size.split_k / work.groups;
  const double uneven = std::ceil(cost.waves) * share * machine.multiprocessors / cost.turns;
  const double busiest_takes = received / takes_in * uneven;
  addParts(cost, memory, {"loads", loads, std::max(loads, busiest_takes) / loads}, port, tensor,
           std::max(1.0, uneven), schedule, machine);
  return cost;
}

} // namespace compiler
