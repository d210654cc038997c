// The `tile` dialect: HOW one kernel computes a contraction.

#ifndef ALGCTL_TILE_DIALECT
#define ALGCTL_TILE_DIALECT

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let summary = "One kernel: what stays put, what is walked, what is copied, multiplied and stored.";
  let description = [{
    A `tile.kernel` is a *walk*. `tile.forall` says what a worker keeps (row types, a block of their rows, a slice of
    the output groups); `tile.for` says what it then goes over; `tile.terms` sums the terms of one output slot. Data
    moves by `tile.hold` (the operand that stays put) and `tile.copy` (the one that is walked), products are
    `tile.mma` on register fragments, and `tile.store` has one owner for every output element.

    Nothing here names a machine. The CPU target turns `forall` into a range of tasks for its threads, a hold
    into a copy in the core's cache, a `mma` into an outer product of vector registers. A GPU target with a
    warp-specialised pipeline will turn the same `forall` into a persistent grid, a copy into asynchronous loads
    with barriers, and a `mma` into a tensor-core instruction.

    What a schedule may not change: the terms of an output element, and that the element has one owner. Terms are
    added in the order of the support; where a machine scales sums instead of operands, coefficient by coefficient,
    and in that order among those with the same one.

    The kernel's `#tile.layout` fixes what indices mean. Throughout, `t` is a row type, `s` the ordinal of a row
    among the rows of its type, `k` an input group, `b` a row group of the weight matrix, `j` an output group, and `n` a
    column within group `j`. In mode j, the gradient of the weight matrix, `f` is a row within row group `b`, `j` the output
    group that a block's columns belong to (0 in the slot lift), and `o` the output group that a term reads of dY.
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
