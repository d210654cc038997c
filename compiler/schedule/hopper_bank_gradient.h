// Schedules of the kernels of dW = X^T dY whose blocks the copy engine moves. They are read and written as
// those of products (hopper_schedule.h), with other meanings of two numbers: `rows` are features of a tile,
// 64 for every warpgroup that multiplies, and `depth` rows of the batch in a step.
#ifndef ALGCTL_COMPILER_SCHEDULE_HOPPER_BANK_GRADIENT_H
#define ALGCTL_COMPILER_SCHEDULE_HOPPER_BANK_GRADIENT_H

#include "compiler/schedule/bank_gradient_work.h"
#include "compiler/schedule/hopper_schedule.h"

#include <vector>

namespace compiler {

/// The stages that fit: threads write dW from their registers, and nothing of it lies in shared memory.
std::int64_t bankGradientStagesThatFit(const HopperSchedule &schedule);

/// Nothing for a legal schedule.
MaybeRefusal bankGradientRefusal(const algebras::Layer &layer, const HopperSchedule &schedule);

/// Tiles of all sizes, clusters of them, splits, and where some blocks of the bank sum up more types than
/// others these first.
std::vector<Considered<HopperSchedule>> considerHopperBankGradient(const algebras::Layer &layer);

/// Where the time would go, in microseconds.
Cost hopperBankGradientCost(const BankGradientWork &work, const HopperSchedule &schedule,
                            const GpuMachine &machine);

} // namespace compiler

#endif
