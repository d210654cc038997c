#include "compiler/schedule/host_level.h"

#include "runtime/cpu/features.h"

#include <algorithm>

namespace compiler {

CpuLevel hostLevel() {
  const std::vector<std::string> &names = portableCpuLevelNames();
  const std::string here = algrt::cpuLevel();
  CpuLevel level =
      portableCpuLevel(std::find(names.begin(), names.end(), here) != names.end() ? here : names.front());
  level.bf16_dot = level.bf16_dot || algrt::missingCpuFeatures({"avx512bf16"}).empty();
  return level;
}

} // namespace compiler
