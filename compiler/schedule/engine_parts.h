// What the costs of the kernels whose blocks the copy engine moves have in common: how long copies, steps and
// the ends of tiles take, and what that adds up to.
#pragma once

#include "compiler/schedule/sizes.h"
#include "compiler/schedule/staged.h"

#include <algorithm>
#include <cmath>

namespace compiler::engine_parts {

// Assumptions in cycles, to be calibrated on a device.
// Barriers and issue.
inline constexpr double cycles_per_stage = 30;
// Two assumptions about copies. A copy moves the rows of a box, `swizzle` bytes each, and every row takes the
// time of one sector beside its bytes: rows of 32 bytes move at 5/8 of the rate of rows of 128. And one
// thread issues the copies of a stage, one after the other.
inline constexpr double row_overhead_bytes = 32, full_row_bytes = 128, cycles_per_copy = 24;
// A slot that several blocks fill is free when the slowest of them has left it, and the word comes from
// afar.
inline constexpr double cycles_per_shared_stage = 20;
// Filling the pipeline's end, and what else the end of a tile takes beside its sums' way out.
inline constexpr double cycles_per_tile = 600;
// Blocks that own a tile together wait for each other twice, a word from block to block each time, and meet
// where the slowest is. What each of them sends comes in at the rate of the network between processors of a
// cluster (gpu_machine.h), and is read from shared memory.
inline constexpr double cycles_per_reduction = 1200;
// Panels of less than 128 bytes spread worse over the banks of shared memory.
inline constexpr double narrow_panels = 1.05;

/// Time to copy one row of a block, in bytes of full rows: it comes in pieces of `piece_bytes`, each a row of
/// a box. What lies outside the tensor is zero and costs nothing.
inline double rowCost(double bytes, double piece_bytes) {
  return (bytes + ceilDivide(bytes, piece_bytes) * row_overhead_bytes) * full_row_bytes /
         (full_row_bytes + row_overhead_bytes);
}

/// The same for a row of a group, which is cut into blocks first.
inline double rowCostInBlocks(double bytes, double block_bytes, double piece_bytes) {
  const double whole = std::floor(bytes / block_bytes);
  return whole * rowCost(block_bytes, piece_bytes) + rowCost(bytes - whole * block_bytes, piece_bytes);
}

/// The part of bytes that the cache has lost before they are read again, after so many others.
inline double lost(double bytes_between, const GpuMachine &machine) {
  return std::max(0.0, 1 - machine.cache_bytes / bytes_between);
}

/// Cycles of the tensor cores for a step of so many rows of side M, `width` of side N and `depth`. Below a
/// width of 64 reading the other side takes longer.
inline double productCycles(double rows, double width, double depth) {
  return rows / 64 * ceilDivide(depth, 16) * std::max(width / 2, 16 + width / 4);
}

/// Cycles from one step to the next beside what it multiplies and copies.
inline double waitsOfStep(const StagedSchedule &schedule) {
  return cycles_per_stage + (schedule.cluster() > 1 ? cycles_per_shared_stage : 0);
}

/// What `sums` of a tile, of which each of so many blocks has a part, take on their way through the others'
/// shared memory, in cycles; 0 of a tile that one block has alone.
inline double reductionCycles(double sums, double blocks, const GpuMachine &machine) {
  if (blocks <= 1)
    return 0;
  return cycles_per_reduction +
         4 * sums / blocks * (blocks - 1) *
             (1 / machine.cluster_bytes_per_cycle + 1 / machine.shared_bytes_per_cycle);
}

/// Bytes that all processors take in at a time: so many are in flight of each.
inline double takesIn(double in_flight, const GpuMachine &machine) {
  return machine.multiprocessors *
         std::min<double>(machine.port_bytes_per_us, in_flight / machine.engine_latency_us);
}

/// Where long groups come first, blocks divide their tiles alone; else all are long. In whole clusters.
struct Tiles {
  double of_long, of_short, split_k;

  double all() const { return of_long + of_short; }
  double blocks() const { return of_long * split_k + of_short; }
  double ends(double of_divided, double of_whole) const {
    return of_long * split_k * of_divided + of_short * of_whole;
  }
};

/// The time of the warpgroups that multiply.
struct TensorTime {
  double products, padding, feeding, store;

  /// Of cycles of all steps, on the tensor cores and until the next can begin, and of the ends of all tiles;
  /// and what the products take without padding.
  TensorTime(double multiplied, double waits, double ends, double narrow, double in_cycles, double products)
      : products(products), padding(std::max(0.0, multiplied * narrow * in_cycles - products)),
        feeding(waits * narrow * in_cycles), store(ends * in_cycles) {}

  double multiplying() const { return products + padding + feeding; }
  double all() const { return multiplying() + store; }
  /// While one part of the warpgroups writes its sums, others multiply; each has its share of the tiles.
  /// Behind the last tile nobody multiplies.
  void pingPong(double turns, double waves) {
    if (turns > 1)
      store = std::max(store / std::ceil(waves), (multiplying() + store) / turns - multiplying());
  }
};

/// Fills in the parts, and adds them up with what a schedule has to save to be trusted.
void addParts(Cost &cost, double memory, const CostPart &loads, const TensorTime &tensor,
              double uneven_tensor, const StagedSchedule &schedule, const GpuMachine &machine);

} // namespace compiler::engine_parts
