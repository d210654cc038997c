// Kernels of vector reductions, straight from the tile program.
#ifndef ALGCTL_COMPILER_TARGETS_REDUCTION_PASSES
#define ALGCTL_COMPILER_TARGETS_REDUCTION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTileToReduction : Pass<"convert-tile-to-reduction", "mlir::ModuleOp"> {
  let summary = "Lower kernels of vector reductions to loops of instructions";
  let description = [{
    Each `tile.kernel` with a `#tile.reduced` schedule becomes an `llvm.func` with the parameters that `runtime/gpu_kernel_abi.h`
    documents, and with an attribute `sm.kernel` that holds what a launch needs to know. Its body is `scf` and `llvm`, its
    arithmetic on `i32`.

    `forall` becomes a loop over parts of the result on a persistent grid: column block, output group, and last the rows of the batch.
    The type of each row follows from its position, which is read from device memory or is that of row 0 and the row's number.
    `add_row_terms` becomes a loop over blocks of the weight matrix: of the blocks that the rows' next terms name, one is taken, all rows
    that name it take part, and go on to their next term. Of a complete graph the diagonal block comes first, so that all rows
    share it, and then those of their types; where some rows have a type in common they share that, too. Each row adds its
    terms in an order of its own, which does not depend on the rows beside it.

    Every thread reads `vector` columns of eight rows of the weight matrix at a time straight into registers, one slice every so many rows,
    and multiplies in f32. The sums of slices are added by shuffles within a warp and through shared memory among warps, in
    one order. Then come the maps of the sums and stores of what exists.

    With `dependent` the kernel asks the second-level cache for the blocks of the weight matrix that it knows before it waits for the grid
    before it, which never writes the weight matrix: the diagonal, and where positions are not read the blocks of the rows' types.
  }];
  let options = [
    Option<"dependent", "dependent", "bool", "false",
           "wait for the grid before this one, and prefetch ahead of that: for sm_90a">,
  ];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::NVVM::NVVMDialect",
                           "mlir::scf::SCFDialect", "sm::SmDialect"];
}

#endif
