// The operations of the alg dialect.
#ifndef ALG_OPS_TD
#define ALG_OPS_TD

include "dialects/alg/alg_attributes.td"
include "dialects/alg/alg_types.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Alg_Op<string mnemonic, list<Trait> traits = []> : Op<Alg_Dialect, mnemonic, traits>;

def Alg_SlotsOp : Alg_Op<"slots", [Pure, AttrSizedOperandSegments]> {
  let summary = "A tensor seen as the slots of an algebra";
  let description = [{
    The op moves no data: it only says how the tensor is read. The result type says how the tensor is divided into
    slots.

    Activations of the row lift name their schedule of row types and, where the first row is not position 0, the
    position `%p0` of the first row. An explicit schedule takes one `i32` type per row instead. A weight matrix names the
    groups of both of its dimensions. `plain(m)` is the view of the slot lift.

    ```mlir
    %xs = alg.slots %x rows(cyclic 32, %p0) cols(32 x 64) : tensor<?x2048xbf16>
    %xs = alg.slots %x rows(explicit 4, %types) cols([640, 512, 384, 512]) : tensor<?x2048xbf16>
    %ws = alg.slots %w rows(32 x 64) cols(32 x 192) : tensor<2048x6144xbf16>
    %qs = alg.slots %q plain(4) : tensor<?x512xf32>
    ```

    Groups and schedules may also be written as attributes, `cols(#in)`.

    Canonical form: the offset 0 is left out and a constant offset is smaller than the period of the schedule; a view
    of a gathered view is the view itself (see `alg.regroup` where the groups differ).
  }];
  let arguments = (ins
    AnyRankedTensor:$tensor,
    Optional<Index>:$offset,
    Optional<1DTensorOf<[I32]>>:$types);
  let results = (outs Alg_SlotsType:$view);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Alg_ContractOp : Alg_Op<"contract", [Pure, InferTypeOpAdaptor]> {
  let summary = "The contraction over the structure constants, with the open index as a mode";
  let description = [{
    Sums `c[i,j,k]` times the product of two slots over all nonzero structure constants and leaves one index open:

    | mode | operands | result |
    | --- | --- | --- |
    | `k` | `x`, `w` | `y_k = sum c[i,j,k] x_i w_j` |
    | `i` | `dy`, `w` | `dx_i = sum c[i,j,k] dy_k w_j^T` |
    | `j` | `x`, `dy` | `dw_j = sum c[i,j,k] x_i^T dy_k` |

    ```mlir
    %ys = alg.contract %xs, %ws by #q32 -> k : !xs, !ws
    %dxs = alg.contract %dys, %ws by #q32 -> i : !ys, !ws
    %dws = alg.contract %xs, %dys by #q32 -> j : !xs, !ys
    ```

    Products are accumulated in `f32` (`f64` where the result has such elements) and rounded once to the element type of
    the operands, or to the type that `into` names. `into f32` on operands of `bf16` does not round the sums, so that an
    `alg.map` of them rounds once, after its arithmetic. The types alone say where values are rounded, and no pass
    changes the rounding by fusing two operations.

    ```mlir
    %sums = alg.contract %xs, %ws by #q32 -> k : !xs, !ws into f32
    ```

    Every element of the result has one owner. Elements for which the algebra has no slot are zero.

    The two activations of mode `j` have to have the same schedule with the same offset. The result of modes `k` and `i`
    has the schedule and the offset of the activations that are operands.

    A weight matrix may take the place of the activations (in mode `j` of both operands). It is then one row of
    positions for each of its row groups, and row group `g` has the type of position `g`. The product of two weight
    matrices is the weight matrix of the composition, `(x w) v = x (w v)`, because the algebra is associative.

    ```mlir
    %wv = alg.contract %ws, %vs by #q32 -> k : !ws, !vs
    ```

    The groups of the views have to match the algebra's lift. An algebra over GF(p) cannot be contracted: kernels
    compute with real numbers. A product over an algebra that is not associative cannot be an operand of another
    contraction, because only associativity guarantees that the supports of a composition are closed.

    Canonical form: trailing factors `M(b)` are taken out of the algebra, because they only refine the groups: their
    `b x b` terms on the parts of a block are one term on the whole block. Equal contractions are merged.
  }];
  let arguments = (ins Alg_SlotsType:$lhs, Alg_SlotsType:$rhs, Alg_AlgebraAttr:$algebra,
                       Alg_OutputMode:$mode, OptionalAttr<TypeAttrOf<AnyFloat>>:$into);
  let results = (outs Alg_SlotsType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `by` $algebra `->` $mode attr-dict `:` type($lhs) `,` type($rhs) (`into` $into^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The lift that the kind of the operands asks for; the verifier has checked that there is one.
    const ::algebras::Lift &getLift();
  }];
}

def Alg_GatherOp : Alg_Op<"gather", [Pure, InferTypeOpAdaptor]> {
  let summary = "The tensor of a slot view";
  let description = [{
    ```mlir
    %y = alg.gather %ys : !alg.slots<?x6144xbf16, rows(cyclic 32), cols(32 x 192)>
    ```

    Canonical form: gathering the view of a tensor is the tensor.
  }];
  let arguments = (ins Alg_SlotsType:$view);
  let results = (outs AnyRankedTensor:$tensor);
  let assemblyFormat = "$view attr-dict `:` type($view)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Alg_RegroupOp : Alg_Op<"regroup", [Pure]> {
  let summary = "The same data under coarser or finer groups";
  let description = [{
    The tensor and the schedule of rows stay the same; the groups change. The op appears where canonicalization takes a
    factor `M(b)` out of an algebra, and the views, products and gathers around it absorb it.

    ```mlir
    %b = alg.regroup %a : !alg.slots<?x64xf32, rows(cyclic 2), cols(8 x 8)> to !alg.slots<?x64xf32, rows(cyclic 2), cols(2 x 32)>
    ```
  }];
  let arguments = (ins Alg_SlotsType:$source);
  let results = (outs Alg_SlotsType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Alg_MapOp : Alg_Op<"map", [AttrSizedOperandSegments, RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "An element-wise function of views, with operands for each column, each row, or one number";
  let description = [{
    Applies the body to the elements at the same place of all inputs. The inputs are one or more views that are divided
    into slots in the same way; so is the result. There may be further, smaller operands:

    | after | an operand is | the body sees, at row `m` and column `n` |
    | --- | --- | --- |
    | | a view like the result | element `(m, n)` |
    | `columns` | a tensor of one element for each column | element `n` |
    | `rows` | a tensor of one element for each row | element `m` |
    | `numbers` | a tensor of rank 0 | its element |

    The body has one argument for each operand, in this order, of the operand's own element type, and yields one element
    of the result. It is made of scalar operations without side effects, and may use scalars from outside. Rows are the
    rows of the tensor; the rows of a weight matrix are its input features. The plain view of a weight matrix has
    neither rows nor columns.

    Where all operands are views of the result's type, that type is written once. Otherwise the types of all operands
    and of the result are written.

    ```mlir
    %h = alg.map %g, %u : !alg.slots<?x6144xf32, rows(cyclic 32), cols(32 x 192)> {
    ^bb0(%gate: f32, %up: f32):
      %product = arith.mulf %gate, %up : f32
      alg.yield %product : f32
    }

    // A bias and a residual, added to the sums of a product before they are rounded.
    %sums = alg.contract %xs, %ws by #q32 -> k : !xs, !ws into f32
    %ys = alg.map %sums, %rs columns %bias : (!sums, !ys, tensor<6144xbf16>) -> !ys {
    ^bb0(%sum: f32, %residual: bf16, %b: bf16):
      %wide = arith.extf %b : bf16 to f32
      %biased = arith.addf %sum, %wide : f32
      %r = arith.extf %residual : bf16 to f32
      %y = arith.addf %biased, %r : f32
      %rounded = arith.truncf %y : f32 to bf16
      alg.yield %rounded : bf16
    }

    // The row scale of an RMSNorm.
    %ns = alg.map %xs columns %weight rows %squares numbers %epsilon
        : (!xs, tensor<2048xf32>, tensor<?xf32>, tensor<f32>) -> !xs {
      ...
    }
    ```

    A value is rounded where its type says so and nowhere else: the body computes in the types that it is written in,
    and the result of a map or a product has the element type of its view. A map of a product into `bf16` therefore
    reads rounded elements, also where one kernel computes both, and a map of a product `into f32` reads the sums.

    All views have to have the same row offset. Canonical form: no operand occurs twice among the operands of its kind;
    every operand is used by the body (except one view, which defines the shape of the result); and a map that yields
    one of its inputs is replaced by that input.
  }];
  let arguments = (ins
    Variadic<Alg_SlotsType>:$inputs,
    Variadic<1DTensorOf<[AnyFloat]>>:$columns,
    Variadic<1DTensorOf<[AnyFloat]>>:$rows,
    Variadic<0DTensorOf<[AnyFloat]>>:$numbers);
  let results = (outs Alg_SlotsType:$result);
  let regions = (region SizedRegion<1>:$body);
  let builders = [
    /// A map with an empty body: its block has an argument for each operand.
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$columns,
      "::mlir::ValueRange":$rows, "::mlir::ValueRange":$numbers)>,
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Alg_YieldOp : Alg_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"MapOp">]> {
  let summary = "The element that the body of a map computes";
  let arguments = (ins AnyFloat:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Alg_ReduceOp : Alg_Op<"reduce", [Pure]> {
  let summary = "The sum or the maximum of a view over its columns, its rows, or both";
  let description = [{
    | over | result |
    | --- | --- |
    | `columns` | a tensor of one element for each row: the sum of squares of an RMSNorm, the two statistics of a softmax |
    | `rows` | a tensor of one element for each column: the gradient of a bias |
    | `all` | a tensor of rank 0 |

    ```mlir
    %squares = alg.reduce sum %xs over columns : !alg.slots<?x2048xbf16, rows(cyclic 32), cols(32 x 64)> -> tensor<?xf32>
    %dbias = alg.reduce sum %dys over rows : !alg.slots<?x6144xbf16, rows(cyclic 32), cols(32 x 192)> -> tensor<6144xbf16>
    ```

    A sum is accumulated in `f32`, in `f64` where view or result have such elements, and rounded once to the element
    type of the result. A maximum is exact; the element type of its result can represent every element of the view. It
    is NaN where an element is NaN. For a tensor without rows the sum is zero and the maximum is minus infinity. The
    plain view of a weight matrix is reduced over `all`.

    Canonical form: the reduction of a regrouped view is replaced by the reduction of the view.
  }];
  let arguments = (ins Alg_Reduction:$reduction, Alg_SlotsType:$view, Alg_Extent:$over);
  let results = (outs RankedTensorOf<[AnyFloat]>:$result);
  let assemblyFormat = "$reduction $view `over` $over attr-dict `:` type($view) `->` type($result)";
  let builders = [
    /// The result's shape is that of the rest; its elements are of type `element`.
    OpBuilder<(ins "::alg::Reduction":$reduction, "::mlir::Value":$view, "::alg::Extent":$over, "::mlir::Type":$element)>,
  ];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

#endif
