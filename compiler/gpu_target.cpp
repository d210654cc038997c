#include "compiler/gpu_target.h"

#include "compiler/schedule/ampere_schedule.h"
#include "compiler/schedule/gpu_layer.h"
#include "compiler/schedule/reduction_schedule.h"

#include <stdexcept>
#include <utility>

namespace compiler {

/// The schedule of a kernel that copies single elements, for operands at any address.
static std::string singleElements(const algebras::Layer &layer, const std::string &schedule, std::int64_t m,
                                  algebras::DataType output, const GpuMachine &machine) {
  if (widestVector(layer) == 1)
    return "";
  if (!schedule.empty() && !isReduction(schedule)) {
    AmpereSchedule same = parseAmpereSchedule(schedule);
    if (std::exchange(same.vector, 1) == 1)
      return "";
    if (whyIllegal(layer, same).empty() && copiesOfThread(same) <= most_single_copies)
      return toString(same);
  }
  return toString(chooseAmpereSchedule(layer, m, output, /*vector=*/1, machine));
}

/// The copy engine's operands begin at multiples of 16 bytes; threads take the others.
static std::string besideCopyEngine(const algebras::Layer &layer, const std::string &schedule, std::int64_t m,
                                    algebras::DataType output) {
  return singleElements(layer, isForThreads(schedule) ? schedule : "", m, output, machineOf("sm_90a"));
}

static std::string besideVectors(const algebras::Layer &layer, const std::string &schedule, std::int64_t m,
                                 algebras::DataType output) {
  return singleElements(layer, schedule, m, output, machineOf("sm_80"));
}

/// Kernels of dW that copy single elements, beside those that copy wider vectors.
static std::string singleElementsOfBank(const algebras::Layer &layer, std::int64_t m,
                                        algebras::DataType output, const GpuMachine &machine) {
  if (widestVector(layer) == 1)
    return "";
  return toString(chooseAmpereBankGradient(layer, m, output, /*vector=*/1, machine));
}

static std::string besideBankVectors(const algebras::Layer &layer, const std::string &, std::int64_t m,
                                     algebras::DataType output) {
  return singleElementsOfBank(layer, m, output, machineOf("sm_80"));
}

static std::string besideBankVectorsOnHopper(const algebras::Layer &layer, const std::string &,
                                             std::int64_t m, algebras::DataType output) {
  return singleElementsOfBank(layer, m, output, machineOf("sm_90a"));
}

static const GpuTarget gpu_targets[] = {
    {Target::Sm80, [](const algebras::Layer &layer) { requireGpuLayer(layer, "sm_80"); }, besideVectors,
     besideBankVectors,
     /*architecture=*/80,
     /*exact_architecture=*/false},
    {Target::Sm90a, [](const algebras::Layer &layer) { requireGpuLayer(layer, "sm_90a"); }, besideCopyEngine,
     besideBankVectorsOnHopper,
     /*architecture=*/90,
     /*exact_architecture=*/true},
};

const GpuTarget &gpuTarget(Target target) {
  for (const GpuTarget &one : gpu_targets)
    if (one.target == target)
      return one;
  throw std::out_of_range("the target " + toString(target) + " is no GPU");
}

} // namespace compiler
