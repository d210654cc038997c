// Kernels whose blocks the copy engine moves: which layers they take, what the machine allows, what is worth
// a look, and what it would cost.
#ifndef ALGCTL_COMPILER_SCHEDULE_HOPPER_SCHEDULE_H
#define ALGCTL_COMPILER_SCHEDULE_HOPPER_SCHEDULE_H

#include "algebras/layer.h"
#include "compiler/schedule/candidates.h"
#include "compiler/schedule/cost.h"
#include "compiler/schedule/gpu_machine.h"
#include "compiler/schedule/projection_work.h"
#include "compiler/schedule/schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace compiler {

/// Whether tensor maps can address a layer's operands and the coefficients are signs: then the copy engine
/// moves the blocks. For other layers the kernels of sm_80, whose threads copy, are compiled for sm_90a.
bool copyEngineTakes(const algebras::Layer &layer);

/// What the kernels whose blocks the copy engine moves cannot do with a layer, whatever the schedule: throws
/// algebras::InputError with a hint.
void requireHopperLayer(const algebras::Layer &layer);

/// Registers of each thread while the roles run: what the file has, dealt out in multiples of 8.
struct HopperRegisters {
  std::int64_t load, multiply;
};
HopperRegisters hopperRegisters(std::int64_t warpgroups);
inline constexpr std::int64_t most_warpgroups = 4; ///< that multiply

/// Shared memory of a block: what it has, and what a schedule's stages and its staging of the result take.
inline constexpr std::int64_t hopper_shared_bytes = 227 * 1024;
/// Of that, for barriers and for aligning the rest.
inline constexpr std::int64_t reserved_shared_bytes = 2048;
/// A stage has a block of each of so many banks.
std::int64_t stageBytes(const HopperSchedule &schedule, std::int64_t weights = 1);
std::int64_t stagingBytes(const HopperSchedule &schedule, algebras::DataType output);
/// Where the others of a split leave their sums.
std::int64_t exchangeBytes(const HopperSchedule &schedule);
/// What held rows take, of input groups `k` wide.
std::int64_t heldBytes(const HopperSchedule &schedule, std::int64_t k);
/// The stages that fit beside the staging of the result, the exchange of sums and `held` bytes, at most
/// `most_stages`.
std::int64_t stagesThatFit(const HopperSchedule &schedule, algebras::DataType output, std::int64_t held = 0,
                           std::int64_t weights = 1);
inline constexpr std::int64_t most_stages = 16;

/// Nothing for a legal schedule.
MaybeRefusal refusal(const algebras::Layer &layer, const HopperSchedule &schedule, algebras::DataType output);
/// The reason of the refusal; empty for a legal schedule.
std::string whyIllegal(const algebras::Layer &layer, const HopperSchedule &schedule,
                       algebras::DataType output);

/// Every combination of rows, columns and depth that the machine has instructions for, and of those that are
/// candidates every cluster of up to 4 blocks and every split, and where some groups stand out these first.
/// The stages of candidates are filled in.
std::vector<Considered<HopperSchedule>> considerHopper(const algebras::Layer &layer,
                                                       algebras::DataType output);

/// Where the time of one forward product would go, in microseconds. What keeps the machine busy: "memory", X,
/// the bank and Y once each at the rate of a copy, and what falls out of the cache; "loads" from the
/// second-level cache into shared memory, where short rows take longer; and "tensor", the warpgroups that
/// multiply. Their time is made of "products" of the elements that the layer has, "padding", the same on
/// zeros of tiles that are not full or slowly in narrow tiles, "feeding", waits for barriers and for the
/// thread that issues copies, and "store", while sums go to shared memory and the pipeline of a tile runs
/// empty. Tiles are counted in whole clusters; clusters without rows are left out.
Cost hopperCost(const ProjectionWork &work, const HopperSchedule &schedule, algebras::DataType output,
                const GpuMachine &machine);
/// The same for `m` rows of a layer.
Cost hopperCost(const algebras::Layer &layer, const HopperSchedule &schedule, algebras::DataType output,
                std::int64_t m, const GpuMachine &machine = h200_machine);

/// The cheapest candidate for `m` rows, the first one listed among equals. Throws as requireHopperLayer does.
HopperSchedule chooseHopperSchedule(const algebras::Layer &layer, std::int64_t m, algebras::DataType output,
                                    const GpuMachine &machine);

} // namespace compiler

#endif
