// The passes of the Hopper target, in the order in which a kernel goes through them.
//
//     tile program                          one kernel: what a worker owns, terms, products, a store
//       convert-tile-to-sm                  one thread block, in order: compiler/targets/thread_block
//       sm-assign-swizzle                   how blocks will lie in shared memory: there, too
//       sm-partition                        a partition that loads and one that multiplies, a pipe between them
//       sm-ping-pong                       where parts of a partition take turns: tiles of its own for each
//       sm-reduce-in-cluster                    where blocks divide tiles: sums go through each other's shared memory
//       sm-lower-epilogue                   results leave through shared memory, behind the next tile's products
//       sm-multi-buffer                     every pipe gets stages of its own, as many as fit
//       sm-insert-barriers                  the stages get barriers, the products get waits
//       sm-narrow-columns                   the last columns of a group: tiles with instructions of their own width
//     asynchronous program                  lowered to instructions by compiler/targets/nvidia
#ifndef ALGCTL_COMPILER_TARGETS_HOPPER_PASSES
#define ALGCTL_COMPILER_TARGETS_HOPPER_PASSES

include "mlir/Pass/PassBase.td"

class HopperPass<string argument> : Pass<argument, "mlir::ModuleOp"> {
  let dependentDialects = ["sm::SmDialect", "mlir::arith::ArithDialect", "mlir::scf::SCFDialect",
                           "mlir::ub::UBDialect"];
}

def SmPartition : HopperPass<"sm-partition"> {
  let summary = "Give loading and multiplying to different warps";
  let description = [{
    The body of the kernel is written twice, once for each of two partitions, with the loops that both need. One thread of
    `@load` fetches blocks and produces them into a pipe; the warpgroups of `@multiply` consume them,
    multiply and store. Each partition waits for the grid before this one ahead of its first access to global
    memory; when the last block has been fetched, the next grid may begin.

    Stationary rows pass through a pipe of their own, of one stage, once for all tiles that they stay for.

    A warpgroup holds 64 rows of the sums. The registers of the multiprocessor go to where the sums are.
  }];
}

def SmPingPong : HopperPass<"sm-ping-pong"> {
  let summary = "Let parts of the warpgroups that multiply have tiles, or chunks, of their own";
  let description = [{
    For a schedule with `ping_pong`: the partition that multiplies gets as many times the warpgroups, and part p of them has the
    tiles p, p + parts, ... of the block. Of the others' tiles it passes over the blocks. So one part multiplies while
    another writes its sums. Parts take blocks in the order of the tiles: each waits for its turn before its first block
    and passes it on after its last.

    In a kernel of two layers two parts have the same tile, and take the chunks of each hidden group in turn: one maps while the
    other multiplies. The first part leaves its sums in shared memory, the second one adds them to its own, maps and
    stores. Of the other part's chunks a part waits for the blocks and releases them, so that it knows every phase of a stage.
  }];
}

def SmReduceInCluster : HopperPass<"sm-reduce-in-cluster"> {
  let summary = "Let sums of tiles that blocks of a cluster divide go through each other's shared memory";
  let description = [{
    `sm.reduce_scatter` becomes: wait until the others have read what this block sent them for the tile before, send each of
    them its part, publish that, wait until all of theirs has come, add it up, and say that it has been read. Each
    warpgroup exchanges sums with those of its number in the other blocks and meets no other; it has a barrier for
    what comes and one for what has been read. The parity of both is carried through tiles.
  }];
}

def SmLowerEpilogue : HopperPass<"sm-lower-epilogue"> {
  let summary = "Let results leave through shared memory";
  let description = [{
    `sm.store_sums` becomes: wait until the warpgroup's previous store has read its stage, write the sums into the
    stage, make them visible to the copy engine, store. The store runs on while the next tile is multiplied; at
    the end of the kernel the last one is waited for. Each warpgroup stores its own 64 rows and meets no other. Of
    `sm.store_sums_in_parts` it takes the map and the coordinates of the part that its rows belong to.

    An `sm.store_sums` through plain maps stays as it is: its sums go straight from registers to memory.
  }];
}

def SmMultiBuffer : HopperPass<"sm-multi-buffer"> {
  let summary = "Give every pipe stages in shared memory";
  let description = [{
    Each block that a pipe passes gets a buffer, of as many stages as the pipe says, or else the schedule; where neither does,
    all such pipes have as many as fit. Every partition at a pipe carries the stage that is next and the parity of its
    pass through the stages, from step to step and from tile to tile: no index is divided, and loops that run once or
    never change nothing. The producer acquires a stage, fills it and commits it: `sm.fetch` becomes a load into
    the stage, `sm.round` a write. A consumer waits for it, uses it and releases it: `sm.multiply` becomes a product from
    the stage, `sm.store_block` a store. Operands of a product may come from different pipes.

    Of `sm.fetch_parts` each part has its rows in the stage, and a load that is made where the part, or all, are
    asked for. The product of a part is made by the warpgroups that hold its sums; the others pass over the step.

    Of stationary rows a stage has a place for each piece. They are released at the end of the block of operations that
    consumes them, where all products with them are done. Of rounded sums it has one for each warpgroup that writes them.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "0", "of pipes that do not say how many; 0: those of the schedule, or as many as fit">,
  ];
}

def SmInsertBarriers : HopperPass<"sm-insert-barriers"> {
  let summary = "Give the stages of every pipe their barriers";
  let description = [{
    Every stage has two: *full* completes when it is filled, *empty* when all consumers are done with it. The first time through
    the stages the producer waits for the phase before the first, which counts as completed. Of loads, *full* counts one
    arrival and their bytes, those with a condition where it holds. Of sums that threads write, it counts the warps of
    the producer; each thread makes its writes visible to the copy engine and the tensor cores, and its warp arrives.
    *Empty* counts the warps of each consumer, or one thread of each of its warpgroups where it consumes in an `sm.elect`, or the
    warps of one part where parts take turns.

    All products of a step are one group. In a loop that only adds to its sums one group stays in flight: a step issues its own, waits until
    the one before it is done, and releases that one's stages, of all pipes that it has consumed from. Behind the loop the last group is waited for, its
    stages released, and the sums settle. A warpgroup that passes over a step closes a group without products, since waits
    count groups.

    In a cluster, *full* counts the bytes of the whole stage, whoever sends them, and *empty* the consumers of all blocks
    that the block shares anything with: each warp arrives at the barriers of all of them. The cluster meets when its
    barriers have been initialised, and once more at the end of each partition.
  }];
}

def SmNarrowColumns : HopperPass<"sm-narrow-columns"> {
  let summary = "Give tiles that have fewer columns than the others instructions of their own width";
  let description = [{
    For sums with a `narrow` condition, what the tile does from `sm.zero` on is written twice: where the condition holds
    with sums of that width, elsewhere as it was. Each branch has accumulators of its own, since ptxas makes products of
    different widths wait for each other where they add to the same registers. Where the condition always holds, nothing is
    written twice.

    The products of the narrow tile read the first columns of the stages of B, and its sums are written to the first
    columns of the result's stage, of which no more is stored.
  }];
}

#endif
