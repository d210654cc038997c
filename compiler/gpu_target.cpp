#include "compiler/gpu_target.h"

#include "compiler/schedule/ampere_schedule.h"
#include "compiler/schedule/hopper_schedule.h"
#include "compiler/targets/ampere/passes.h"
#include "compiler/targets/hopper/passes.h"

#include <stdexcept>
#include <utility>

namespace compiler {

static std::string singleElements(const algebras::Layer &layer, const std::string &schedule, std::int64_t m,
                                  algebras::DataType output) {
  if (widestVector(layer) == 1)
    return "";
  if (schedule.empty())
    return toString(chooseAmpereSchedule(layer, m, output, /*vector=*/1));
  AmpereSchedule same = parseAmpereSchedule(schedule);
  return std::exchange(same.vector, 1) == 1 ? "" : toString(same);
}

static const GpuTarget gpu_targets[] = {
    {Target::Sm80, [](const algebras::Layer &layer, algebras::DataType) { requireAmpereLayer(layer); },
     [](mlir::OpPassManager &passes) { addTileToCopyingSm(passes); }, singleElements,
     /*architecture=*/80,
     /*exact_architecture=*/false},
    {Target::Sm90a,
     [](const algebras::Layer &layer, algebras::DataType output) {
       requireHopperLayer(layer, output == algebras::DataType::F32 ? HopperOutput::F32 : HopperOutput::BF16);
     },
     [](mlir::OpPassManager &passes) { addTileToSm(passes); },
     // The engine's operands begin at multiples of 16 bytes; kernels of sm_80 take the others.
     /*scheduleForAnyAddress=*/nullptr,
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
