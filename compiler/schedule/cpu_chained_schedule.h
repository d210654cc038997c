// The CPU kernel of two layers, whose workers keep what the first one leaves near them: what is worth a look,
// and what it would cost.
#pragma once

#include "algebras/layer.h"
#include "compiler/schedule/cpu_schedule.h"

#include <cstdint>

namespace compiler {

/// Of the layer that reads X and of the one that reads what that leaves: the same types, rows and vectors,
/// and for each its own register tile.
struct ChainedSchedule {
  CpuSchedule first, last;
  bool operator==(const ChainedSchedule &) const = default;
};

/// Where the time of `m` rows would go on so many cores, in cycles of one core: the parts of cpuCost, of both
/// layers together, but that what lies between them is written to the cache and read from it, and rows of X
/// for which the second-level cache has no room are so from afar.
Cost chainedCost(const algebras::Layer &first, const algebras::Layer &last, const CpuLevel &level,
                 const ChainedSchedule &schedule, int64_t m, int64_t cores = compiled_for_cores);

/// The cheapest for `m` rows on compiled_for_cores; the first one looked at among equals. A task owns one
/// type there and up to 256 of its rows: the groups of X and of the first layer's result that an output group
/// reads leave half of the second-level cache to the weight matrices, unless the rows are the fewest that
/// whole register tiles of both layers have.
ChainedSchedule chooseChainedSchedule(const algebras::Layer &first, const algebras::Layer &last,
                                      const CpuLevel &level, WeightAccess access, int64_t m);

} // namespace compiler
