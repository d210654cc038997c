// The passes of the Hopper target, in the order in which a kernel goes through them.
//
//     tile program                          one kernel: what a worker owns, terms, products, a store
//       convert-tile-to-sm                  one thread block, in order: compiler/targets/thread_block
//       sm-assign-swizzle                   how blocks will lie in shared memory: there, too
//       sm-split-roles                      a role that loads and a role that multiplies, a channel between them
//       sm-take-turns                       where several parts of a role take turns: tiles of its own for each
//       sm-exchange-sums                    where blocks divide tiles: sums go through each other's shared memory
//       sm-lower-epilogue                   results leave through shared memory, behind the next tile's products
//       sm-multi-buffer                     the channel becomes a ring of slots, as many as fit
//       sm-insert-barriers                  the ring gets barriers, the products get waits
//     asynchronous program                  lowered to instructions by compiler/targets/nvidia
#ifndef ALGCTL_COMPILER_TARGETS_HOPPER_PASSES
#define ALGCTL_COMPILER_TARGETS_HOPPER_PASSES

include "mlir/Pass/PassBase.td"

class HopperPass<string argument> : Pass<argument, "mlir::ModuleOp"> {
  let dependentDialects = ["sm::SmDialect", "mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

def SmSplitRoles : HopperPass<"sm-split-roles"> {
  let summary = "Give loading and multiplying to different warps";
  let description = [{
    The body of the kernel is written twice, once for each role, with the loops that both need. One thread of
    the first role fetches blocks and puts them into a channel; the warpgroups of the second take them out,
    multiply and deliver. Each role waits for the grid before this one ahead of its first access to global
    memory; when the last block has been fetched, the next grid may begin.

    Rows that are held pass through a channel of their own, once for all tiles that they stay for.

    A warpgroup holds 64 rows of the sums. The registers of the multiprocessor go to where the sums are.
  }];
}

def SmTakeTurns : HopperPass<"sm-take-turns"> {
  let summary = "Let parts of the warpgroups that multiply have tiles of their own";
  let description = [{
    For a schedule with `turns`: the role that multiplies gets as many times the warpgroups, and part p of them has the
    tiles p, p + turns, ... of the block. Of the others' tiles it passes over the blocks. So one part multiplies while
    another writes its sums. Parts take blocks in the order of the tiles: each waits for its turn before its first block
    and passes it on after its last.
  }];
}

def SmExchangeSums : HopperPass<"sm-exchange-sums"> {
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
    `sm.deliver` becomes: wait until the warpgroup's previous store has read its slot, write the sums into the
    slot, make them visible to the copy engine, store. The store runs on while the next tile is multiplied; at
    the end of the kernel the last one is waited for. Each warpgroup stores its own 64 rows and meets no other. Of
    `sm.deliver_parts` it takes the map and the coordinates of the part that its rows belong to.

    An `sm.deliver` through plain maps stays as it is: its sums go straight from registers to memory.
  }];
}

def SmMultiBuffer : HopperPass<"sm-multi-buffer"> {
  let summary = "Make the channel a ring of slots in shared memory";
  let description = [{
    Each block that the channel passes gets a buffer of as many slots as the schedule's stages. Both roles carry
    the slot that is next and the parity of their pass through the ring, from step to step and from tile to
    tile: no index is divided, and loops that run once or never change nothing. `sm.fetch` becomes a load into
    the slot, `sm.multiply` a product from it. Blocks of several products of the same rows share a slot.

    Of `sm.fetch_parts` each part has its rows in the slot, and a load that is made where the part, or all, are
    asked for. The product of a part is made by the warpgroups that hold its sums; the others pass over the step.

    Rows that are held get a ring of one slot, whose buffer has a slot for each piece of them. They are given back at
    the end of the block of operations that takes them, where all products with them are done.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "0", "slots of the ring; 0: those of the schedule, or as many as fit">,
  ];
}

def SmInsertBarriers : HopperPass<"sm-insert-barriers"> {
  let summary = "Give the ring its barriers";
  let description = [{
    Every slot has two: *full* completes when its bytes have arrived, *empty* when every warp that multiplies
    has said that it is done with it. The first time through the ring the role that loads waits for the phase
    before the first, which counts as completed. Loads with a condition count as bytes where it holds.

    All products of a step are one group. One group stays in flight: a step issues its own, waits until the one before it is done, and
    releases that one's slot. Behind the loop the last group is waited for, its slot released, and the sums
    settle. A warpgroup that passes over a step closes a group without products, since waits count groups.

    In a cluster, *full* counts the bytes of the whole slot, whoever sends them, and *empty* the warps of all blocks
    that the block shares anything with: each warp arrives at the barriers of all of them. The cluster meets when its
    barriers have been initialised, and once more at the end of each role.
  }];
}

#endif
