#include "compiler/schedule/engine_parts.h"

namespace compiler {

engine_parts::ColumnBlocks::ColumnBlocks(const StagedSchedule &schedule, double n, bool several_results) {
  const Sizes size(schedule);
  all = ceilDivide(n, size.columns * size.cluster_columns) * size.cluster_columns;
  columns = narrow = copied = narrow_copied = size.columns;
  whole = all;
  if (schedule.rows_on == RowSide::N || schedule.split_k > 1 || several_results)
    return;
  constexpr double instruction = 8;
  whole = std::floor(n / size.columns);
  const double panel = panelOf(schedule.columns) / 2, left = n - whole * size.columns;
  if (left > 0) {
    narrow = ceilDivide(left, instruction) * instruction;
    narrow_copied = std::min(ceilDivide(left, panel) * panel, size.columns);
  }
}

// What a schedule has to save to be trusted. Two warpgroups beside the one that loads are known to keep the
// tensor cores busy; each further one leaves the threads fewer registers. Shallow stages, each time their
// depth is halved, have more barriers, more copies and shorter rows, all of which rest on assumptions. What
// clusters save, each time that they are doubled, rests on the second-level cache alone.
static constexpr double further_warpgroup = 0.05, half_depth = 0.02, doubled_cluster = 0.02;

void engine_parts::addParts(Cost &cost, double memory, const CostPart &loads, double shared,
                            const TensorTime &tensor, double uneven_tensor, const StagedSchedule &schedule,
                            const GpuMachine &machine) {
  cost.busy = {
      {"memory", memory}, loads, {"shared", shared, uneven_tensor}, {"tensor", tensor.all(), uneven_tensor}};
  cost.arithmetic = {{"products", tensor.products},
                     {"padding", tensor.padding},
                     {"feeding", tensor.feeding},
                     {"store", tensor.store}};
  const Sizes size(schedule);
  const double caution = further_warpgroup * std::max(0.0, static_cast<double>(schedule.warpgroups()) - 2) +
                         half_depth * std::log2(64 / size.depth) + doubled_cluster * std::log2(size.together);
  addSideBySide(cost, {.launch = machine.launch_us, .busiest_decides = true, .caution = caution});
}

} // namespace compiler
