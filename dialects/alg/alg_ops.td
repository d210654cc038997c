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
    Costs nothing: it says how the tensor is to be read. How it is cut is part of the result type.

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

    Products are accumulated in `f32` (`f64` where the result has such elements) and rounded once to the element type of the
    operands, or to the one that `into` names. `into f32` on operands of `bf16` leaves the sums as they are, so that an `alg.map`
    of them rounds once, after its arithmetic: what is rounded, and where, is written in the types, and no pass changes it by
    computing two operations together.

    ```mlir
    %sums = alg.contract %xs, %ws by #q32 -> k : !xs, !ws into f32
    ```

    Every element of the result has one owner, and what the algebra has no slot for is zero.

    Two activations of mode `j` have to have the same schedule with the same offset. The result of modes `k` and `i`
    has the schedule and the offset of the activations that went in.

    A weight matrix may take the place of the activations, of both operands in mode `j`: it is one row of positions for each of its
    row groups, and row group `g` of it has the type of position `g`. The product of two weight matrices is the weight matrix of the composition, `(x w) v = x (w v)`,
    because the algebra is associative.

    ```mlir
    %wv = alg.contract %ws, %vs by #q32 -> k : !ws, !vs
    ```

    The groups of the views have to be those of the algebra's lift. An algebra over GF(p) cannot be contracted:
    kernels compute with real numbers. A product over an algebra that is not associative cannot be an operand of another
    contraction, because the supports of a composition are closed by associativity alone.

    Canonical form: trailing factors `M(b)` are taken out of the algebra, because they only refine the groups:
    their `b x b` terms on the parts of a block are one term on the whole block. Equal contractions are one.
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
    Tensor and schedule of rows stay; the groups change. It appears where canonicalization takes a factor `M(b)` out of an
    algebra, and it is absorbed by the views, products and gathers around it.

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
    Applies the body to the elements at the same place of all inputs. The inputs are views that are cut alike, at least one; the
    result is cut as they are. There may be further operands that are smaller:

    | after | an operand is | the body sees, at row `m` and column `n` |
    | --- | --- | --- |
    | | a view like the result | element `(m, n)` |
    | `columns` | a tensor of one element for each column | element `n` |
    | `rows` | a tensor of one element for each row | element `m` |
    | `numbers` | a tensor of rank 0 | its element |

    The body has one argument for each operand, in this order, of the operand's own element type, and yields one element of
    the result. It is made of scalar operations without side effects, and may use scalars from outside. Rows are those of
    the tensor: of a weight matrix they are its input features. The plain view of a weight matrix has neither rows nor columns.

    Where all operands are views of the result's type, that type is written once. Otherwise the types of all operands
    are written, and that of the result.

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

    A value is rounded where its type says so and nowhere else: the body computes in the types that it is written in, and the result of
    a map or a product is what its view holds. A map of a product into `bf16` therefore sees rounded elements, also where one kernel
    computes both, and a map of a product `into f32` sees the sums.

    All views have to have the same row offset. Canonical form: no operand twice among those of its kind, no operand that the body
    does not use (but for one view, which says what the result looks like), and a map that yields one of its inputs
    is that input.
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

    A sum is accumulated in `f32`, in `f64` where view or result have such elements, and rounded once to the element type of
    the result. A maximum is exact; its result holds every element of the view. It is NaN where an element is. The sum
    of nothing, of a tensor without rows, is zero, the maximum of nothing minus infinity. The plain view of a weight matrix is
    reduced over `all`.

    Canonical form: the reduction of a regrouped view is that of the view.
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
