#include "compiler/targets/ampere/passes.h"

#include "compiler/targets/thread_block/passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace compiler {

void addTileToCopyingSm(OpPassManager &passes) {
  // What one thread block does, in order.
  passes.addPass(createConvertTileToSm());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createSmAssignSwizzle());

  // When. What only the copies needed is dead in the loop that multiplies.
  passes.addPass(createSmPipelineCopies());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void registerAmperePasses() {
  registerAmpereTargetPasses();
  PassPipelineRegistration<>("tile-to-copying-sm",
                             "From a tile program to the program of a thread block whose threads copy",
                             [](OpPassManager &passes) { addTileToCopyingSm(passes); });
}

} // namespace compiler
