// What the costs of the kernels whose blocks the copy engine moves have in common: assumptions in cycles, to
// be calibrated on a device, and what follows from them for rows and for the parts of a time.
#ifndef ALGCTL_COMPILER_SCHEDULE_HOPPER_MODEL_H
#define ALGCTL_COMPILER_SCHEDULE_HOPPER_MODEL_H

#include "compiler/schedule/hopper_schedule.h"

namespace compiler::hopper_model {

/// Barriers and issue.
inline constexpr double cycles_per_stage = 30;
// Two assumptions about copies. A copy moves the rows of a box, `swizzle` bytes each, and every row takes the
// time of one sector beside its bytes: rows of 32 bytes move at 5/8 of the rate of rows of 128. And one
// thread issues the copies of a stage, one after the other.
inline constexpr double row_overhead_bytes = 32, full_row_bytes = 128;
inline constexpr double cycles_per_copy = 24;
/// A slot that several blocks fill is free when the slowest of them has left it, and the word comes from
/// afar.
inline constexpr double cycles_per_shared_stage = 20;
/// Filling the pipeline's end, and what else the end of a tile takes beside its sums' way out.
inline constexpr double cycles_per_tile = 600;
// Blocks that own a tile together wait for each other twice, a word from block to block each time, and meet
// where the slowest is. What each of them sends comes in at the rate of the network between processors of a
// cluster (gpu_machine.h), and is read from shared memory.
inline constexpr double cycles_per_exchange = 1200;
/// Panels of less than 128 bytes spread worse over the banks of shared memory.
inline constexpr double narrow_panels = 1.05;

/// Time to copy one row of a block, in bytes of full rows: it comes in pieces of `piece_bytes`, each a row of
/// a box. What lies outside the tensor is zero and costs nothing.
double rowCost(double bytes, double piece_bytes);
/// The same for a row of a group, which is cut into blocks first.
double rowCostInBlocks(double bytes, double block_bytes, double piece_bytes);

/// The part of bytes that the cache has lost before they are read again, after so many others.
double lost(double bytes_between, const GpuMachine &machine);

/// Cycles of the tensor cores for a step of so many rows of side M, `width` of side N and `depth`. Below a
/// width of 64 reading the other side takes longer.
double productCycles(double rows, double width, double depth);

/// What `sums` of a tile, of which each of so many blocks has a part, take on their way through the others'
/// shared memory, in cycles; 0 of a tile that one block has alone.
double exchangeCycles(double sums, double blocks, const GpuMachine &machine);

/// What the parts of a schedule that runs `together` blocks of a cluster have in common: adds up `cost`, with
/// what further warpgroups, shallow stages and clusters have to save to be trusted.
void addUp(Cost &cost, const HopperSchedule &schedule, double together, const GpuMachine &machine);

} // namespace compiler::hopper_model

#endif
