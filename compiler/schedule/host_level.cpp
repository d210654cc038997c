#include "compiler/schedule/host_level.h"

#include "runtime/cpu/features.h"
#include "runtime/support/parallel.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {

CpuLevel hostLevel() {
  const std::vector<std::string> &names = portableCpuLevelNames();
  const std::string here = algrt::cpuLevel();
  CpuLevel level =
      portableCpuLevel(std::find(names.begin(), names.end(), here) != names.end() ? here : names.front());
  level.bf16_dot = level.bf16_dot || algrt::missingCpuFeatures({"avx512bf16"}).empty();
  level.amx = level.bf16_dot && algrt::missingCpuFeatures({"amx-tile", "amx-bf16"}).empty();
  return level;
}

CpuMachine compiledForMachine() { return {hostLevel(), compiled_for_cores}; }

CpuMachine hostMachine() { return {hostLevel(), algrt::resolveThreads(0), "this machine"}; }

std::string toString(const CpuMachine &machine) {
  return fmt::format("{} core{} of {} at {:.0f} GHz{}", machine.cores, machine.cores == 1 ? "" : "s",
                     machine.level.name, cpu_core.cycles_per_us / 1000,
                     machine.whose.empty() ? "" : fmt::format(" ({})", machine.whose));
}

} // namespace compiler
