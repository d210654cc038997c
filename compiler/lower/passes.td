// The compiler's passes, in the order in which a product goes through them.
#ifndef ALGCTL_COMPILER_LOWER_PASSES
#define ALGCTL_COMPILER_LOWER_PASSES

include "mlir/Pass/PassBase.td"

def ConvertAlgToTile : Pass<"convert-alg-to-tile", "mlir::ModuleOp"> {
  let summary = "Choose schedules and write the kernels of every function with products";
  let description = [{
    Replaces each function of the form

        slots of x, slots of w, w2, ... -> contract each -> maps -> gather -> return

    by the `tile.kernel`s that compute it. A function whose further contractions multiply what maps of the first ones leave is one of two
    layers, the first of which is nowhere as a whole; its kernels are the same, of both layers. The contractions of a layer, one or several, read the same view of x with the same terms; weight matrices and
    results are cut alike. Maps (`alg.map`) read any of the contractions, other maps, and arguments of the function: views like the
    result, and numbers for columns, for rows, or for the call. Any of the contractions and maps may be returned, of either element
    type. A function without a contraction stays as it is.

    The operands of the kernels are x, a weight matrix for each contraction, what the maps read, and the results, in this order. Maps become
    `tile.map`s of finished sums, which are rounded where the types of the alg program say so. x may be read by maps,
    too: then it is two operands. A gradient of the weight matrix (mode j) is one contraction without maps.

    A product (mode k) has `NAME_packed` and `NAME_pack` (a weight matrix rewritten into panels once, each of them for itself; those of a second layer by `NAME_pack_next`), `NAME_copied`
    (each block copied when it is needed) and `NAME_direct` (the weight matrices read in place, for few rows of a type). A gradient of the
    activations (mode i) has one kernel, `NAME`, which transposes each block of a weight matrix as it copies it. For each kernel the cost
    model ranks the candidate schedules of the CPU level and the cheapest for the nominal number of rows is taken; the sums of all
    contractions of a tile share the registers.

    For a GPU there is one kernel, `NAME_bf16` or `NAME_f32` by its first result. One contraction
    with one result of the operands' type writes it in the type `output`; all others are what the function says. A worker
    owns one tile of the results, and the operands are multiplied straight from memory, for the target's own passes to stage.
    A schedule with `reduce` makes it a kernel of vector reductions instead, whose workers own rows of the batch as they lie.
    With `experts` kernels are for calls whose rows are divided among experts: such a one, or, where row types are explicit, one that finds
    the rows of each expert in a list.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"", "cpu, or the name of a GPU target">,
    Option<"output", "output", "std::string", "\"bf16\"", "elements of the result on a GPU: bf16 or f32">,
    Option<"schedule", "schedule", "std::string", "\"\"",
           "a schedule for a GPU, as rows=128,columns=96,depth=64,stages=3, for sm_80 also warps=2x2,vector=8, or of vector "
           "reductions reduce=32,rows=4,columns=64; of two layers rows=64,hidden=64,depth=64,stages=4x2,stationary=8, or "
           "reduce=16,rows=4,hidden=64,columns=64; chosen by cost when empty">,
    Option<"vector", "vector", "int64_t", "0",
           "elements that a thread of sm_80 copies at a time: 1, 2, 4 or 8; 0 for as many as the layer allows">,
    Option<"cpu", "cpu", "std::string", "\"x86-64-v3\"", "CPU level: x86-64-v3, x86-64-v4, sapphirerapids or native">,
    Option<"positions", "positions", "bool", "false",
           "every row says where it is: kernels of vector reductions alone can read that">,
    Option<"experts", "experts", "int64_t", "0",
           "rows are divided among experts, with a schedule for so many: by vector reductions, or in lists where row types are explicit">,
    Option<"rows", "rows", "int64_t", "2048", "rows of X that schedules are chosen for">,
  ];
  let dependentDialects = ["tile::TileDialect", "mlir::arith::ArithDialect"];
}

def ExpandMath : Pass<"expand-math", "mlir::ModuleOp"> {
  let summary = "Write functions of maps as arithmetic";
  let description = [{
    In the bodies of `tile.map` and `tile.elementwise`, functions of `math` that are no instruction of a machine become polynomials and other arithmetic
    of `arith` in f32, the same for every target: exponentials, logarithms, trigonometric and hyperbolic functions and their inverses,
    erf and erfc, powers. What stays is `absf`, `ceil`, `copysign`, `floor`, `fma`, `roundeven`, `rsqrt`, `sqrt` and `trunc`, and what
    `approximate-math` has marked. Any other function is an error.

    Relative errors stay below 4e-7 for `exp` and `log`, 1e-6 for `tanh` and `erf`, 2e-6 for `log1p`, `sinh`, `cosh`, `asinh`, `acosh`,
    `atanh` and, where it is not near a pole, `tan`; those of `sin` and `cos` below 2e-7 absolutely for arguments up to 1e6. Beyond 1e7
    these are numbers between -1 and 1. A power is
    computed by squaring where its exponent is a whole constant up to 64, with an error of 2^-23 for each factor; any other one is
    `exp (b log |a|)`, with a relative error of 5e-7 |b log |a||. Negative numbers have powers with whole exponents.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::vector::VectorDialect"];
}

def ApproximateMath : Pass<"approximate-math", "mlir::ModuleOp"> {
  let summary = "Write functions of maps for instructions of NVIDIA GPUs that approximate them";
  let description = [{
    Of kernels that write nothing but bf16, and of the maps between two layers in any. Goes before `expand-math`, which leaves what has the flag `afn` as it is, and once more
    behind it, for the quotients of its polynomials. The lowerings for NVIDIA GPUs write an instruction for what has the flag
    (`compiler/targets/nvidia/approximate_math.h`):

    - `exp x` becomes `exp2 (x log2 e)`, which is `ex2.approx.ftz.f32`: its relative error is below 2^-22 + 2^-23 |x|, which is 1.1e-5
      where it is largest. Results below 2^-126 are 0, as those of `expand-math` are.
    - Quotients are `div.full.f32`, whose error is two units in the last place of f32 at most. Those a / (1 + exp x) and a / (1 + c |x|) are
      `div.approx.ftz.f32`, two instructions instead of nine, with the same error, and |a| 2^-126 beside it, since a divisor
      above 2^126 counts as infinite.
    - `1 + erf u` becomes `erfc (-u)` by a reciprocal, a polynomial and an exponential: its relative error is below 6e-6 + 2^-22 u^2,
      also where `u` is negative.
    - `1 + tanh u` becomes `2 / (1 + exp (-2u))`, in which nothing cancels: its relative error is below 2^-20 + 2^-22 |u|.
    - `1 - tanh(u)^2`, the slope of `tanh`, becomes `4 p / (1 + p)^2` with `p = exp (-2 |u|)`, in which nothing cancels either: its
      relative error is below 2^-19 + 2^-21 |u|.
    - Any other `tanh` is `tanh.approx.f32` where nothing but products, quotients and signs stand between it and a rounding to
      bf16: its relative error of 2^-11 is a quarter of what that rounding may do. Elsewhere sums could make it larger, and
      `expand-math` writes the polynomial.

    Infinities, NaN and zeros are those of the functions.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect"];
}

def ConvertTileToCpu : Pass<"convert-tile-to-cpu", "mlir::ModuleOp"> {
  let summary = "Lower kernels to loops and vector operations";
  let description = [{
    Each `tile.kernel` becomes a function with the signature that `runtime/kernel_abi.h` documents: a kernel of products takes its
    matrices and numbers out of one array of descriptors. `forall` becomes a
    loop over a range of tasks, which the runtime deals out to its threads; `hold` and `copy` become copies into
    the thread's scratch; fragments become vector registers, and `mma` an outer product of them; products of the same rows
    that follow one another in `terms` go through their depth together. Terms are
    computed where the support is that of Q(q), and read from a constant table otherwise.

    The function carries `tile.scratch_bytes`, the scratch that one thread needs.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::func::FuncDialect", "mlir::LLVM::LLVMDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"];
}

#endif
