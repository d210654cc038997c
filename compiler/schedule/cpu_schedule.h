// The CPU kernels of products: what is worth a look, and what it would cost.
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

/// Whether the layer's products can use the machine's bf16 dot product: bf16 data, and coefficients +1 and -1
/// only.
bool usesPairs(const algebras::Layer &layer, const CpuLevel &level);

/// Whether they can use the machine's matrix unit: what can be paired, and coefficients +1 only.
bool usesAmx(const algebras::Layer &layer, const CpuLevel &level);

/// The register tiles that a kernel may have, of each unit that the layer can use, whatever is against them:
/// one row type and one register tile of rows.
std::vector<CpuSchedule> registerTiles(const algebras::Layer &layer, const CpuLevel &level,
                                       WeightAccess access);

/// Of a kernel with so many weight matrices, how many a register tile is multiplied by at a time: those whose
/// sums share the registers. The sums of the others wait in memory meanwhile.
int64_t productsTogether(const CpuSchedule &schedule, int64_t weights);

/// Why a register tile of a layer is none to consider: its sums and operands and the registers.
MaybeRefusal refuseRegisterTile(const algebras::Layer &layer, const CpuLevel &level,
                                const CpuSchedule &schedule);

/// Every combination of types, register tile and blocks of rows that is looked at.
std::vector<Considered<CpuSchedule>> considerCpu(const algebras::Layer &layer, const CpuLevel &level,
                                                 WeightAccess access);

/// Where the time of one forward product of `m` rows would go on so many cores, in cycles of one core:
/// "rows", copying the activations; "weights", bringing the weight matrix, beyond what hides behind the
/// multiplications; "store", writing results and reading what they are mapped with; "multiply",
/// multiplications, with the padding of tiles that are not full; and workers that are "idle" while others do
/// the last tasks.
Cost cpuCost(const algebras::Layer &layer, const CpuSchedule &schedule, int64_t m,
             int64_t cores = compiled_for_cores);

/// The cheapest candidate for `m` rows on compiled_for_cores; the first one listed among equals.
CpuSchedule chooseCpuSchedule(const algebras::Layer &layer, const CpuLevel &level, WeightAccess access,
                              int64_t m);

} // namespace compiler
