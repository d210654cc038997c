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
    position `%p0` of the first row. An explicit schedule takes one `i32` type per row instead. A bank names the
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

    The product may take a bias, one element for each column of `y`: it is added to the sums, and they are rounded together.

    ```mlir
    %ys = alg.contract %xs, %ws bias %b by #q32 -> k : !xs, !ws, tensor<6144xbf16>
    ```

    Products are accumulated in `f32` and rounded once to the element type. Every element of the result has one owner,
    and what the algebra has no slot for is zero.

    Two activations of mode `j` have to have the same schedule with the same offset. The result of modes `k` and `i`
    has the schedule and the offset of the activations that went in.

    The groups of the views have to be those of the algebra's lift. An algebra over GF(p) cannot be contracted:
    kernels compute with real numbers. A product over an algebra that is not associative cannot be an operand of another
    contraction, because the supports of a composition are closed by associativity alone.

    Canonical form: trailing factors `M(b)` are taken out of the algebra, because they only refine the groups:
    their `b x b` terms on the parts of a block are one term on the whole block. Equal contractions are one.
  }];
  let arguments = (ins Alg_SlotsType:$lhs, Alg_SlotsType:$rhs, Optional<1DTensorOf<[AnyFloat]>>:$bias,
                       Alg_AlgebraAttr:$algebra, Alg_OutputMode:$mode);
  let results = (outs Alg_SlotsType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`bias` $bias^)? `by` $algebra `->` $mode attr-dict
    `:` type($lhs) `,` type($rhs) (`,` type($bias)^)?
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

def Alg_MapOp : Alg_Op<"map", [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "An element-wise function of views of one kind";
  let description = [{
    Applies the body to the elements at the same place of all inputs. The inputs have one type, which is the type of
    the result; the body has one argument for each input and yields one element. Scalars from outside may be
    used in the body.

    ```mlir
    %h = alg.map %g, %u : !alg.slots<?x6144xf32, rows(cyclic 32), cols(32 x 192)> {
    ^bb0(%gate: f32, %up: f32):
      %product = arith.mulf %gate, %up : f32
      alg.yield %product : f32
    }
    ```

    All views have to have the same row offset. Canonical form: no input twice, no input that the body does not use,
    and a map that yields one of its inputs is that input.
  }];
  let arguments = (ins Variadic<Alg_SlotsType>:$inputs);
  let results = (outs Alg_SlotsType:$result);
  let regions = (region SizedRegion<1>:$body);
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

#endif
