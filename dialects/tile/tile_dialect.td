// The `tile` dialect: HOW one kernel computes a contraction.

#ifndef ALGCTL_TILE_DIALECT
#define ALGCTL_TILE_DIALECT

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let summary = "One kernel: its tiles and loops, stationary and streamed operands, copies, products and stores.";
  let description = [{
    A `tile.kernel` is a loop nest. `tile.forall` is the parallel loop: it says what a worker owns (row types, a block
    of their rows, a slice of the output groups). `tile.for` is a sequential loop of the worker, and `tile.terms` sums
    the terms of one output slot. `tile.hold` copies the stationary operand and `tile.copy` the streamed operand,
    products are `tile.mma` on register fragments, and every output element is written by the `tile.store` of one owner.

    The dialect does not depend on a machine. The CPU target turns `forall` into a range of tasks for its threads,
    `hold` into a copy in the core's cache, `mma` into outer products in vector registers. A GPU target with a
    warp-specialised pipeline turns the same `forall` into a persistent grid, the operands of a `mma` into asynchronous
    loads with barriers, and the `mma` into tensor-core instructions.

    A schedule must not change the terms of an output element, nor that the element has one owner. Terms are added in
    the order of the support. Where a machine scales sums instead of operands, they are added coefficient by
    coefficient, and terms with the same coefficient in the order of the support.

    The kernel's `#tile.layout` defines the meaning of indices. Throughout, `t` is a row type, `s` the ordinal of a row
    among the rows of its type, `k` an input group, `b` a row group of the weight matrix, `j` an output group, and `n` a
    column within group `j`. In mode j, the gradient of the weight matrix, `f` is a row within row group `b`, `j` the
    output group that a block's columns belong to (0 in the slot lift), and `o` the output group that a term reads of
    dY.
  }];
  let cppNamespace = "::tile";
  let dependentDialects = ["::alg::AlgDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif
