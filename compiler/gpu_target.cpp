#include "compiler/gpu_target.h"

#include "compiler/schedule/ampere_schedule.h"
#include "compiler/schedule/hopper_schedule.h"
#include "compiler/targets/ampere/passes.h"
#include "compiler/targets/hopper/passes.h"

#include <stdexcept>

namespace compiler {

static const GpuTarget gpu_targets[] = {
    {Target::Sm80, [](const algebras::Layer &layer, algebras::DataType) { requireAmpereLayer(layer); },
     [](mlir::OpPassManager &passes) { addTileToCopyingSm(passes); },
     /*architecture=*/80,
     /*exact_architecture=*/false},
    {Target::Sm90a,
     [](const algebras::Layer &layer, algebras::DataType output) {
       requireHopperLayer(layer, output == algebras::DataType::F32 ? HopperOutput::F32 : HopperOutput::BF16);
     },
     [](mlir::OpPassManager &passes) { addTileToSm(passes); },
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
