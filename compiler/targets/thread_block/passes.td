// What the GPU targets share: the passes that write down what one thread block does, before a target decides who of
// its threads does it and when.
#ifndef ALGCTL_COMPILER_TARGETS_THREAD_BLOCK_PASSES
#define ALGCTL_COMPILER_TARGETS_THREAD_BLOCK_PASSES

include "mlir/Pass/PassBase.td"

class ThreadBlockPass<string argument> : Pass<argument, "mlir::ModuleOp"> {
  let dependentDialects = ["sm::SmDialect", "mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

def ConvertTileToSm : ThreadBlockPass<"convert-tile-to-sm"> {
  let summary = "Write what one thread block does, as if it did everything in order";
  let description = [{
    Each `tile.kernel` with a `#tile.staged` or a `#tile.reduced` schedule becomes an `sm.kernel`. Of a staged one `forall` becomes a loop over tiles:
    block b of a persistent grid takes the tiles b, b + grid, and so on. A tile's number gives, from slow to
    fast, its row segment, its block of rows in the segment, its output group and its block of columns, so that
    blocks that run at the same time share rows of X. What segments are and which map they belong to is said in
    `runtime/gpu_kernel_abi.h`; tiles without rows are passed over. Nothing is masked: maps fill with zeros and
    clip.

    `terms` and `mma` become one loop over the steps of a tile, `depth` of one term at a time. The terms of Q(q)
    follow from type and group; others are read from the terms table. A step fetches a block of rows and a block
    of the weight matrix and multiplies them; after the last, the sums are stored.

    A schedule with a `cluster` of A x B numbers tiles in clusters, each of A blocks of rows times B blocks of columns,
    which the blocks of a cluster take together: `forall` becomes a loop over those. What the blocks of a row or a
    column of the cluster share, each fetches a part of for all: the rows of X in B parts, those of the weight matrix in A.
    A cluster is passed over where its first block has no rows; otherwise all of its blocks go through all steps.

    Where a tile has several types, of a complete graph, its segments are as many consecutive ones, and its terms those
    of all its types in one ascending order, with the diagonal block that they share once. A step of that term fetches
    the rows of all segments (`sm.fetch_parts`), a step of a type's own term those of its segment. Behind the last segment
    there are none: those parts lie past the end of the last one, which reads as zeros and is not written.

    With `stationary` groups a block takes all tiles of so many consecutive groups in turn, column block by column block, and
    before them the rows of X that are its types' own group (`sm.hold`). A step of an own term then fetches the weight matrix
    alone, and multiplies a piece of what is stationary.

    In a gradient of X (mode i) with `stationary` groups a turn is a block of rows and of columns, for all groups of dY, or where blocks
    divide them (`split_k`) for each block's share. A step multiplies the rows by W(j, j) and by the type's own W(i, j); the sums of
    dX(j) are stored behind the steps of group j, and those of dX(i) stay until the last group.

    A schedule with `split_k` lets all blocks of a cluster take the same tile: `forall` becomes a loop over the tiles of clusters,
    and each block takes its share of their steps, consecutive ones. Then the sums are added up (`sm.reduce_scatter`), and
    each block stores a part of the columns, or where rows are on side N of the rows.

    A schedule with `warps` makes the maps plain and cuts the sums among single warps. Only there may coefficients
    be other than signs: the terms table then lists those with one coefficient together, their products are added
    to a sum of their own, and that is scaled and added to the total once behind the last of them.

    Where `tile.terms` multiplies the same rows by several weight matrices, a step fetches a block of each, and multiplies A by each
    of them; each product has its own sums. What maps read beside sums comes as numbers of columns, as plain maps in the
    views of the result, or as numbers; results behind the first are stored through plain maps. Tiles of
    several types, stationary rows and sums, and the sums that blocks exchange with a `split_k` are those of one product.

    Of a kernel with a `#tile.reduced` schedule `forall` becomes a loop over parts of the result: column block, output group, and
    last the rows of the batch. The type of each row follows from its position, which is read from device memory or is that of row
    0 and the row's number. `add_row_terms` becomes a loop over blocks of the weight matrix: of the blocks that the rows' next terms
    name, one is taken, all rows that name it take part, and go on to their next term. Of a complete graph the diagonal block
    comes first, so that all rows share it, and then those of their types; where some rows have a type in common they share that,
    too. Each row adds its terms in an order of its own, which does not depend on the rows beside it. Every thread reads `vector`
    columns of eight rows of the weight matrix at a time straight into registers, one slice every so many rows. Behind the last
    terms the sums of slices meet in shared memory, and what follows is done by the threads that then have the elements.

    With `dependent` such a kernel asks the second-level cache for the blocks of the weight matrix that it knows before it waits for
    the grid before it, which never writes the weight matrix: the diagonal, and where positions are not read the blocks of the
    rows' types.
  }];
  let options = [
    Option<"dependent", "dependent", "bool", "false",
           "kernels of vector reductions wait for the grid before them, and prefetch ahead of that: for sm_90a">,
  ];
}

def SmAssignSwizzle : ThreadBlockPass<"sm-assign-swizzle"> {
  let summary = "Choose how blocks lie in shared memory";
  let description = [{
    A block is stored as column panels, each as wide as the swizzle: 128 bytes where they divide its rows, else
    64, else 32. The wider the swizzle, the fewer copies and the better the spread over the banks of shared
    memory. A result that leaves straight from registers gets none; stationary rows lie as the boxes of their maps.
  }];
}

#endif
