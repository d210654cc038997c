#include "compiler/schedule/hopper_model.h"

#include <algorithm>
#include <cmath>

namespace compiler::hopper_model {

// Two warpgroups beside the one that loads are known to keep the tensor cores busy. Each further one leaves
// the threads fewer registers; it has to save more than this model can be trusted with.
static constexpr double further_warpgroup = 0.05;
// So do shallow stages, each time their depth is halved: they have more barriers, more copies and shorter
// rows, all of which rest on assumptions.
static constexpr double half_depth = 0.02;
// What clusters save rests on the second-level cache alone; each time that they are doubled they have to save
// more than this.
static constexpr double doubled_cluster = 0.02;

double rowCost(double bytes, double piece_bytes) {
  return (bytes + ceilDivide(bytes, piece_bytes) * row_overhead_bytes) * full_row_bytes /
         (full_row_bytes + row_overhead_bytes);
}

double rowCostInBlocks(double bytes, double block_bytes, double piece_bytes) {
  const double whole = std::floor(bytes / block_bytes);
  return whole * rowCost(block_bytes, piece_bytes) + rowCost(bytes - whole * block_bytes, piece_bytes);
}

double lost(double bytes_between, const GpuMachine &machine) {
  return std::max(0.0, 1 - machine.cache_bytes / bytes_between);
}

double productCycles(double rows, double width, double depth) {
  return rows / 64 * ceilDivide(depth, 16) * std::max(width / 2, 16 + width / 4);
}

double exchangeCycles(double sums, double blocks, const GpuMachine &machine) {
  if (blocks <= 1)
    return 0;
  return cycles_per_exchange + 4 * sums / blocks * (blocks - 1) *
                                   (1 / machine.cluster_bytes_per_cycle + 1 / machine.shared_bytes_per_cycle);
}

void addUp(Cost &cost, const HopperSchedule &schedule, double together, const GpuMachine &machine) {
  const double caution = further_warpgroup * std::max(0.0, static_cast<double>(schedule.warpgroups()) - 2) +
                         half_depth * std::log2(64 / static_cast<double>(schedule.depth)) +
                         doubled_cluster * std::log2(together);
  addSideBySide(cost, {.launch = machine.launch_us, .busiest_decides = true, .caution = caution});
}

} // namespace compiler::hopper_model
