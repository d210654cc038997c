// The passes of the targets whose threads copy: every NVIDIA GPU since Ampere.
//
//     tile program                          one kernel: what a worker owns, terms, products, a store
//       convert-tile-to-sm                  one thread block, in order: compiler/targets/thread_block
//       sm-assign-swizzle                   how blocks will lie in shared memory: there, too
//       sm-pipeline-copies                  copies run ahead of the products, through a ring of stages
//     asynchronous program                  lowered to instructions by compiler/targets/nvidia
#ifndef ALGCTL_COMPILER_TARGETS_AMPERE_PASSES
#define ALGCTL_COMPILER_TARGETS_AMPERE_PASSES

include "mlir/Pass/PassBase.td"

def SmPipelineCopies : Pass<"sm-pipeline-copies", "mlir::ModuleOp"> {
  let summary = "Let copies run ahead of the products";
  let description = [{
    All threads of the block copy, and all its warps multiply. The blocks of a step lie in a stage of a ring of as
    many stages as the schedule says, S. Before the first step the blocks of S - 1 steps are on their way, a
    group of copies for each. A step

    - waits until at most S - 2 groups are under way, so that its own has arrived, and meets the other threads:
      their part has arrived, too, and all warps are done with the step before;
    - so that the stage of the step before is free: into it go the blocks of the step S - 1 ahead, or nothing
      where the tile has no such step. Their group is closed all the same, so that the count stays right;
    - multiplies from its own stage.

    The threads meet once more before a tile's first copy, because a warp may still multiply from the stages that
    the tile before has filled. What the coordinates of a step need is computed twice, for the copies ahead of it
    and for the sign of its product; it must depend on the step alone.

    A tile of one step without a loop around it copies, waits and multiplies.
  }];
  let dependentDialects = ["sm::SmDialect", "mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

#endif
