// The machine at hand as the cost model of the CPU sees it.
#ifndef ALGCTL_COMPILER_SCHEDULE_HOST_LEVEL_H
#define ALGCTL_COMPILER_SCHEDULE_HOST_LEVEL_H

#include "compiler/targets/cpu/level.h"

namespace compiler {

inline constexpr double host_cycles_per_us = 3000;

/// This machine's portable level, with dot products of bf16 pairs where it has them; the lowest that kernels
/// are compiled for where it is below.
CpuLevel hostLevel();

} // namespace compiler

#endif
