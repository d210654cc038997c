// The machine at hand as the cost model of the CPU sees it.
#pragma once

#include "compiler/schedule/cpu_level.h"

#include <cstdint>
#include <string>

namespace compiler {

/// What one core does in a cycle: round numbers for one with AVX2 or AVX-512, all assumed, which only have to
/// rank schedules against each other.
struct CpuCore {
  double multiplications; ///< vector multiply-adds
  double loads;           ///< vector loads and broadcasts
  double far_bytes;       ///< from the last-level cache or memory
  double copied_bytes;    ///< read from afar and written to the cache
  double stored_bytes;    ///< written to memory
  double cycles_per_us;
  // Of the matrix unit of AMX, for a square of 16 rows and 16 columns and 32 depths:
  double amx_product; ///< cycles between two products
  double amx_latency; ///< cycles until its sums can be added to
  double amx_rows;    ///< cycles to load rows, from the nearest cache
  double amx_panel;   ///< cycles to load a piece of a panel, from the cache behind it
  double amx_store;   ///< cycles to write sums
};
inline constexpr CpuCore cpu_core = {.multiplications = 2,
                                     .loads = 2,
                                     .far_bytes = 6,
                                     .copied_bytes = 8,
                                     .stored_bytes = 6,
                                     .cycles_per_us = 3000,
                                     .amx_product = 16,
                                     .amx_latency = 52,
                                     .amx_rows = 8,
                                     .amx_panel = 32,
                                     .amx_store = 16};

/// This machine's portable level, with dot products of bf16 pairs where it has them; the lowest that kernels
/// are compiled for where it is below.
CpuLevel hostLevel();

/// What the cost model counts with: so many cores of a level, each a cpu_core.
struct CpuMachine {
  CpuLevel level;
  int64_t cores;
  std::string whose = ""; ///< for people: "this machine", a file, an option; empty: nobody's in particular
};

/// Those that kernels are compiled for, whatever machine compiles them, so that a bundle does not depend on
/// it.
inline constexpr int64_t compiled_for_cores = 16;
/// So many of this machine's level.
CpuMachine compiledForMachine();

/// The cores that this process may use.
CpuMachine hostMachine();

/// "2 cores of x86-64-v4 at 3 GHz (this machine)".
std::string toString(const CpuMachine &machine);

} // namespace compiler
