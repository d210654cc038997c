// The CPU levels that kernels are compiled for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace compiler {

/// What a kernel may rely on, and what the schedule must fit into. Sizes are in bytes.
struct CpuLevel {
  std::string name;                  ///< one of cpuLevelNames(); "native" is one of the others plus extras
  std::string base;                  ///< the level that LLVM knows by name
  std::string tune;                  ///< processor that LLVM schedules for; empty for none in particular
  std::vector<std::string> features; ///< what the machine must have, in the names that Clang uses
  int64_t lanes = 8;                 ///< f32 in one vector register
  int64_t registers = 16;            ///< vector registers
  bool bf16_dot = false;             ///< dot products of bf16 pairs accumulated in f32
  bool amx = false;                  ///< a matrix unit for bf16, which adds up in f32: Intel's AMX
  int64_t l1 = 32 << 10;             ///< level-1 data cache of one core
  int64_t l2 = 1 << 20;              ///< level-2 cache of one core
};

/// "x86-64-v3", "x86-64-v4", and "sapphirerapids", the latter with bf16 and AMX: those that are the same on
/// every machine.
const std::vector<std::string> &portableCpuLevelNames();
/// Throws std::out_of_range for a name that is not among them.
CpuLevel portableCpuLevel(std::string_view name);

/// The level called `name`: a portable one or "native". Throws algebras::InputError for any other name, and
/// for "native" on a machine that is below x86-64-v3.
CpuLevel cpuLevel(std::string_view name);

/// The portable ones and "native".
const std::vector<std::string> &cpuLevelNames();

} // namespace compiler
