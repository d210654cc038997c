// What the costs of the kernels whose blocks the copy engine moves have in common: how long copies, steps and
// the ends of tiles take, and what that adds up to.
#pragma once

#include "compiler/schedule/sizes.h"
#include "compiler/schedule/staged.h"

#include <algorithm>
#include <cmath>

namespace compiler::engine_parts {

// In cycles. Those marked so were fitted to 192 kernels that were measured on an H200
// (benchmarks/results/2026-11-24-h200-kernels.csv, tests/schedule/measured_kernels_test.cpp); the others are
// assumptions.
// One thread issues the copies of a stage, one after the other; fitted.
inline constexpr double cycles_per_copy = 24;
// A slot that several blocks fill is free when the slowest of them has left it, and the word comes from
// afar; fitted.
inline constexpr double cycles_per_shared_stage = 60;
// Filling the pipeline's end, and what else the end of a tile takes beside its sums' way out; and where
// blocks of a cluster end their tiles together, what they wait for each other, each time that they are
// doubled. Fitted.
inline constexpr double cycles_per_tile = 530, cycles_per_doubled_cluster = 600;
// Blocks that own a tile together wait for each other twice, a word from block to block each time, and meet
// where the slowest is. What each of them sends comes in at the rate of the network between processors of a
// cluster (gpu_machine.h), and is read from shared memory.
inline constexpr double cycles_per_reduction = 1200;
// Panels of less than 128 bytes spread worse over the banks of shared memory.
inline constexpr double full_row_bytes = 128, narrow_panels = 1.05;
// Of what memory's lines add to the pieces that lie in them, this much is paid for: the neighbour of a piece
// often comes while the line is in the cache. Fitted.
inline constexpr double line_bytes = 128, share_of_lines = 0.6;

/// Bytes that memory moves for `bytes` in pieces of `piece_bytes`, a whole number, one beside the other, each
/// of which somebody else needs: those of the lines that a piece touches.
inline double inLines(double bytes, double piece_bytes) {
  double aligned = line_bytes; // what every piece begins at a multiple of
  while (aligned > 1 && std::fmod(piece_bytes, aligned) != 0)
    aligned /= 2;
  return bytes * (1 + share_of_lines * (line_bytes - aligned) / piece_bytes);
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

/// Bytes that the tensor cores read of shared memory in such a step: an instruction of 64 of side M reads
/// both of its operands, so that every 64 of side M read all of side N once more.
inline double operandBytes(double rows, double width, double depth) {
  return rows / 64 * ceilDivide(depth, 16) * 2 * 16 * (64 + width);
}

/// Microseconds that shared memory is busy with so many bytes of all processors, which go in and out by one
/// port. That operands of the tensor cores, blocks of the copy engine and sums on their way out share the
/// port's rate is assumed. No measured kernel contradicts it: they kept the port busy for at most two thirds
/// of their time (tests/schedule/measured_kernels_test.cpp).
inline double portTime(double bytes, const GpuMachine &machine) {
  return bytes / (machine.shared_bytes_per_cycle * machine.multiprocessors * machine.clock);
}

/// The blocks of columns of a group. Most have the schedule's columns; the last one, and in a cluster those
/// behind it, have what is left: instructions are as narrow there, in multiples of 8, and panels that have
/// nothing of the group are not copied (compiler/targets/hopper/narrow_columns.cpp). Not so where several
/// results are stored in pieces.
struct ColumnBlocks {
  ColumnBlocks(const StagedSchedule &schedule, double n, bool several_results = false);

  double all = 0, whole = 0;        ///< how many, and of them those with all columns
  double columns = 0, narrow = 0;   ///< that are multiplied in a whole one, and in another
  double copied = 0, narrow_copied; ///< that are copied of a matrix stored by columns

  /// Of a block, on average, what `of` takes for so many multiplied and so many copied columns.
  template <class Of> double average(Of of) const {
    return (whole * of(columns, copied) + (all - whole) * of(narrow, narrow_copied)) / all;
  }
};

/// Cycles from one step to the next beside what it multiplies and copies: barriers of one block hide behind
/// these.
inline double waitsOfStep(const StagedSchedule &schedule) {
  return schedule.cluster() > 1 ? cycles_per_shared_stage : 0;
}

/// Cycles that the end of a tile takes beside its sums' way out, of one of so many blocks that end theirs
/// together.
inline double endOfTile(double together) {
  return cycles_per_tile + cycles_per_doubled_cluster * std::log2(together);
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

/// Of a gradient of X of a complete graph whose sums of a type's own group are stationary.
Cost stationarySumsCost(const ProjectionWork &work, const StagedSchedule &schedule, algebras::DataType output,
                        const GpuMachine &machine);

/// Fills in the parts, and adds them up with what a schedule has to save to be trusted. Of shared memory the
/// busiest processor has as much more to do than the others as of the tensor cores.
void addParts(Cost &cost, double memory, const CostPart &loads, double shared, const TensorTime &tensor,
              double uneven_tensor, const StagedSchedule &schedule, const GpuMachine &machine);

} // namespace compiler::engine_parts
