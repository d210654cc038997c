// The CPU kernel of the weight matrix's gradient: what is worth a look, and what it would cost.
#pragma once

#include "algebras/layer.h"
#include "compiler/schedule/candidates.h"
#include "compiler/schedule/cost.h"
#include "compiler/schedule/cpu_level.h"
#include "compiler/schedule/host_level.h"
#include "compiler/schedule/schedule.h"

#include <cstdint>
#include <vector>

namespace compiler {

/// All candidates: register tiles that fit the registers, tiles whose sums and operands fit
/// the core's second-level cache.
std::vector<Considered<CpuGradientSchedule>> considerCpuGradient(const algebras::Layer &layer,
                                                                 const CpuLevel &level);

/// Where the time of one gradient of the weight matrix for `m` rows would go on so many cores, in cycles of
/// one core: "bring", copying rows of X and dY into panels; "store", writing dW; "multiply", vector
/// multiplications, with the padding of tiles that are not full; and workers that are "idle" while others do
/// the last tasks.
Cost cpuGradientCost(const algebras::Layer &layer, const CpuGradientSchedule &schedule, int64_t m,
                     int64_t cores = compiled_for_cores);

/// The cheapest candidate on compiled_for_cores; the first one listed among equals.
CpuGradientSchedule chooseCpuGradientSchedule(const algebras::Layer &layer, const CpuLevel &level, int64_t m);

} // namespace compiler
