#include "compiler/schedule/cpu_prediction.h"

#include "compiler/schedule/cpu_gradient_schedule.h"
#include "compiler/schedule/cpu_schedule.h"
#include "compiler/schedule/host_level.h"

#include <algorithm>

namespace compiler {

static double busyCycles(const algebras::Layer &layer, const CpuLevel &level, WeightAccess weights,
                         int64_t m) {
  const Cost cost = cpuCost(layer, chooseCpuSchedule(layer, level, weights, m), m);
  return cost.total() - cost["idle"];
}

double predictCpu(const algebras::Layer &layer, algrt::Map map, bool packed, int64_t m, int threads) {
  const CpuLevel level = hostLevel();
  double cycles = 0;
  switch (map) {
  case algrt::Map::Forward:
    cycles = packed ? busyCycles(layer, level, WeightAccess::Packed, m)
                    : std::min(busyCycles(layer, level, WeightAccess::Copied, m),
                               busyCycles(layer, level, WeightAccess::Direct, m));
    break;
  case algrt::Map::Dx:
    cycles = busyCycles(layer.transposed(), level, WeightAccess::Copied, m);
    break;
  case algrt::Map::Dw: {
    const Cost cost = cpuGradientCost(layer, chooseCpuGradientSchedule(layer, level, m), m);
    cycles = cost.total() - cost["idle"];
    break;
  }
  }
  return cycles / (static_cast<double>(threads) * cpu_core.cycles_per_us);
}

} // namespace compiler
