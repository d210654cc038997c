#include "compiler/targets/reduction/passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace compiler {

void addTileToReduction(OpPassManager &passes, bool dependent) {
  ConvertTileToReductionOptions options;
  options.dependent = dependent;
  passes.addPass(createConvertTileToReduction(options));
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void registerReductionPasses() {
  registerReductionTargetPasses();
  PassPipelineRegistration<>("tile-to-reduction",
                             "From a tile program of vector reductions to tidy nvvm, as for sm_90a",
                             [](OpPassManager &passes) { addTileToReduction(passes, /*dependent=*/true); });
}

} // namespace compiler
