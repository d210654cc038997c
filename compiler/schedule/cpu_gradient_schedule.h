// Schedules of the CPU kernel of the bank's gradient: what one task owns of dW, and how it is summed up.
#ifndef ALGCTL_COMPILER_SCHEDULE_CPU_GRADIENT_SCHEDULE_H
#define ALGCTL_COMPILER_SCHEDULE_CPU_GRADIENT_SCHEDULE_H

#include "algebras/layer.h"
#include "compiler/schedule/host_level.h"
#include "compiler/targets/cpu/level.h"

#include <cstdint>
#include <string>
#include <vector>

namespace compiler {

struct CpuGradientSchedule {
  std::int64_t features = 64;         ///< rows of dW that one task owns, a multiple of register_features
  std::int64_t columns = 192;         ///< columns that it owns, a multiple of register_columns
  std::int64_t rows = 64;             ///< rows of X and dY that are brought at a time
  std::int64_t register_features = 8; ///< rows of the register tile
  std::int64_t register_columns = 48; ///< columns of the register tile, a multiple of lanes
  std::int64_t lanes = 16;            ///< f32 in one vector
  bool pairs = false;                 ///< bf16, two rows at a time through the machine's dot product
};

/// "features=64,columns=192,rows=64,register_features=8,register_columns=48".
std::string toString(const CpuGradientSchedule &schedule);

/// Every schedule worth considering: register tiles that fit the registers, tiles whose sums and operands fit
/// the core's second-level cache.
std::vector<CpuGradientSchedule> cpuGradientCandidates(const algebras::Layer &layer, const CpuLevel &level);

/// Where the time of one gradient of the bank would go, in cycles of one core.
struct CpuGradientCost {
  double bring = 0;    ///< copying rows of X and dY into panels
  double multiply = 0; ///< vector multiplications, with the padding of tiles that are not full
  double store = 0;    ///< writing dW
  double idle = 0;     ///< workers that wait for the last tasks
  double total() const { return bring + multiply + store + idle; }
};

/// What a schedule would cost for `m` rows on so many cores.
CpuGradientCost cpuGradientCost(const algebras::Layer &layer, const CpuGradientSchedule &schedule,
                                std::int64_t m, std::int64_t cores = compiled_for_cores);

/// The cheapest candidate on compiled_for_cores; the first one listed among equals.
CpuGradientSchedule chooseCpuGradientSchedule(const algebras::Layer &layer, const CpuLevel &level,
                                              std::int64_t m);

} // namespace compiler

#endif
