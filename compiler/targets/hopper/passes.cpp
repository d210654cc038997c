#include "compiler/targets/hopper/passes.h"

#include "compiler/targets/thread_block/passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace compiler {

void addTileToSm(OpPassManager &passes, const TileToSmOptions &options) {
  // What one thread block does, in order.
  passes.addPass(createConvertTileToSm());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createSmAssignSwizzle());

  // Who does it. The copies of the loops lose what their partition does not need.
  passes.addPass(createSmPartition());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createSmPingPong());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createSmReduceInCluster());
  passes.addPass(createSmLowerEpilogue());

  // What passes between the partitions: stages, then barriers. The result's buffers are there already, so
  // that the pipe of operands can take all that is left of shared memory.
  SmMultiBufferOptions buffers;
  buffers.stages = options.stages;
  passes.addPass(createSmMultiBuffer(buffers));
  passes.addPass(createSmInsertBarriers());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createSmNarrowColumns());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void registerHopperPasses() {
  registerHopperTargetPasses();
  PassPipelineRegistration<>("tile-to-sm",
                             "From a tile program to the asynchronous program of a thread block",
                             [](OpPassManager &passes) { addTileToSm(passes); });
}

} // namespace compiler
