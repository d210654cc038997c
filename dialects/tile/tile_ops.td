#ifndef ALGCTL_TILE_OPS
#define ALGCTL_TILE_OPS

include "dialects/tile/tile_types.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"

class Tile_Op<string opMnemonic, list<Trait> traits = []> : Op<Tile_Dialect, opMnemonic, traits>;

def Tile_MatrixOrBuffer : AnyTypeOf<[Tile_MatrixType, Tile_BufferType], "matrix in memory or buffer">;

//===--------------------------------------------------------------------------------------------===//
// Structure: the kernel, what it owns, what it goes through
//===--------------------------------------------------------------------------------------------===//

def Tile_KernelOp : Tile_Op<"kernel", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator,
                                   DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "One kernel";
  let description = [{
    A kernel takes matrices, and numbers that its maps use, and computes inside a single `tile.forall`. The first two
    operands are multiplied, the last operand is the result; operands of maps stand between them. The `layout` defines
    the meaning of indices, the `schedule` is the one from which the kernel was built. The row offset p0 and the number
    of rows are launch-time values of every kernel and appear as no operand here: `tile.forall` knows which rows a type
    has.

    ```mlir
    tile.kernel @forward(%x: !tile.matrix<?x2048xf32>, %w: !tile.matrix<2048x6144xf32>, %y: !tile.matrix<?x6144xf32>)
        attributes {layout = #tile.layout<...>, schedule = #tile.schedule<...>} { ... }
    ```

    With `experts`, a launch is of many products of this kind, each with weight matrices and numbers of columns of its
    own, which lie one below the other, and with consecutive rows of the batch, or of a list of its rows: where those of each
    begin is a launch-time value, too, and so is the list. No task owns rows of two experts. Kernels with a `#tile.reduced`
    schedule can be such, and those of products with a `#tile.staged` one whose row types are explicit and whose groups are of one width: the list of their rows says whose they are.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Tile_LayoutAttr:$layout,
                       AnyAttrOf<[Tile_ScheduleAttr, Tile_StagedAttr, Tile_ReducedAttr]>:$schedule,
                       UnitAttr:$experts);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::tile::LayoutAttr":$layout, "::mlir::Attribute":$schedule), [{
    build($_builder, $_state, name, layout, schedule, /*experts=*/false);
  }]>];
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The schedule of a kernel whose workers are threads, or null.
    ScheduleAttr getThreadSchedule() { return ::llvm::dyn_cast<ScheduleAttr>(getSchedule()); }
    /// The schedule of a kernel whose operands come in stages, or null.
    StagedAttr getStagedSchedule() { return ::llvm::dyn_cast<StagedAttr>(getSchedule()); }
    /// The schedule of a kernel of vector reductions, or null.
    ReducedAttr getReducedSchedule() { return ::llvm::dyn_cast<ReducedAttr>(getSchedule()); }
  }];
}

def Tile_ForallOp : Tile_Op<"forall", [HasParent<"KernelOp">, SingleBlock, NoTerminator, RecursiveMemoryEffects,
                             DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "The parallel loop: what one worker owns";
  let description = [{
    Divides the kernel's work into independent tasks along the given axes and runs the body for each task. A worker is a
    thread on a CPU, a thread block or cluster on a GPU. The body's arguments are the first index along each axis.

    ```mlir
    tile.forall (%i, %r, %g) over [<types, 1>, <rows, 64>, <groups, 0>] { ... }
    ```

    owns one type, 64 of its rows and a slice of the output groups that begins with %g. A task that has no
    rows is not run.

    ```mlir
    tile.forall (%i, %r, %g, %n) over [<types, 1>, <rows, 128>, <groups, 1>, <columns, 192>] { ... }
    ```

    owns one tile of the result. Where the rows of a type come in several runs (`interval`), a block of rows
    ends with its run; on a GPU short runs are joined, and it has several.

    ```mlir
    tile.forall (%i, %r, %g, %n) over [<types, 2>, <rows, 64>, <groups, 1>, <columns, 192>] { ... }
    ```

    owns the tiles of two consecutive types; the first type follows the last. A fragment holds the rows of one type
    below those of the other, 128 rows here, and %i stands for both types wherever a type is named.

    ```mlir
    tile.forall (%b, %f, %j, %n) over [<weight_rows, 1>, <features, 64>, <groups, 1>, <columns, 192>] { ... }
    ```

    in mode j, owns one tile of dW: 64 rows and 192 columns of block (%b, %j). The task is run even without rows of X
    and dY for it, because its tile is always written.

    ```mlir
    tile.forall (%r, %j, %n) over [<batch, 4>, <groups, 1>, <columns, 64>] { ... }
    ```

    owns 64 columns of output group %j of 4 rows of the batch, from row %r on, whatever their types.
  }];
  let arguments = (ins TypedArrayAttrBase<Tile_AxisAttr, "axes">:$axes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<Axes>($body, $axes) attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The axis of a kind, or null when this op does not have it.
    AxisAttr getAxis(AxisKind kind);
    /// The body argument that an axis yields, or null.
    ::mlir::Value getIndex(AxisKind kind);
  }];
}

def Tile_ForOp : Tile_Op<"for", [SingleBlock, NoTerminator, RecursiveMemoryEffects,
                               DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A sequential loop of one worker";
  let description = [{
    Loops over the given axes, the first outermost. Along an axis that an enclosing `tile.forall` has too, the loop goes
    over the owned part. Inside `tile.weight_terms` the rows are those of the term's type.

    ```mlir
    tile.for (%j, %n) over [<groups, 1>, <columns, 48>] { ... }
    ```
  }];
  let arguments = (ins TypedArrayAttrBase<Tile_AxisAttr, "axes">:$axes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<Axes>($body, $axes) attr-dict";
  let hasVerifier = 1;
}

def Tile_TermsOp : Tile_Op<"terms", [SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects,
                                 DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "The terms of one output slot";
  let description = [{
    Runs its body once for every term of (type, output group), in ascending input group: c times input group k
    times weight block (b, j). The body's arguments are k, b, c and the carried fragments. Where the layout's
    support is regular (Q(q)) a target computes the terms; otherwise it reads a small table, so that the code
    does not grow with the algebra.

    Inside a `tile.forall` of several types %t stands for all of them, and the op goes through the terms of all types in
    one ascending order. A term whose weight block is the same for all types occurs once, for all their rows (the
    diagonal block of Q(q)); any other term changes only the rows of its type. Every type has its own terms in ascending
    order.

    ```mlir
    %sum = tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : !tile.fragment<8x48xf32> {
      %next = tile.mma %x[%t, %k, %s], %w[%b, %j, %n], %acc scale %c : ...
      tile.yield %next : !tile.fragment<8x48xf32>
    }
    ```
  }];
  let arguments = (ins Index:$row_type, Index:$group, Variadic<Tile_FragmentType>:$inits);
  let results = (outs Variadic<Tile_FragmentType>:$sums);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["TermsOp", "WeightTermsOp", "MapOp", "LayerOp"]>]> {
  let summary = "Yields values to the enclosing op";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), "">];
}

//===--------------------------------------------------------------------------------------------===//
// Data: hold, buffer, copy
//===--------------------------------------------------------------------------------------------===//

def Tile_HoldOp : Tile_Op<"hold", [MemoryEffects<[MemRead, MemAlloc, MemWrite]>]> {
  let summary = "Copy the stationary operand";
  let description = [{
    Copies the owned rows of the owned types, with all input groups, into a buffer where they stay for the whole task.
    Rows past the last one of a type are zero in the buffer. `%x[%i, %r]` is the first type and the first row ordinal.
  }];
  let arguments = (ins Tile_MatrixType:$source, Index:$row_type, Index:$row);
  let results = (outs Tile_BufferType:$buffer);
  let assemblyFormat = "$source `[` $row_type `,` $row `]` attr-dict `:` type($source) `->` type($buffer)";
  let hasVerifier = 1;
}

def Tile_BufferOp : Tile_Op<"buffer", [MemoryEffects<[MemAlloc]>]> {
  let summary = "A buffer for streamed operands, or for what another layer of the kernel leaves";
  let results = (outs Tile_BufferType:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

def Tile_CopyOp : Tile_Op<"copy", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Copy one panel of a block of the weight matrix";
  let description = [{
    Copies columns n, n+1, ... of weight block (b, j), one panel wide, into the place of that panel in a buffer, or into
    a packed weight matrix. Columns past the end of the group become zero: no column of a neighbouring group is copied.
    With `once`, the copy is made only for the first of several owned types when the block does not depend on the type
    (the diagonal block of Q(q)).
  }];
  let arguments = (ins Tile_MatrixType:$source, Index:$weight_row, Index:$group, Index:$column,
                       Tile_MatrixOrBuffer:$target, UnitAttr:$once);
  let assemblyFormat = [{
    $source `[` $weight_row `,` $group `,` $column `]` `to` $target (`once` $once^)? attr-dict
    `:` type($source) `to` type($target)
  }];
  let hasVerifier = 1;
}

//===--------------------------------------------------------------------------------------------===//
// Registers: zero, mma, map, mask, store
//===--------------------------------------------------------------------------------------------===//

def Tile_ZeroOp : Tile_Op<"zero", [Pure]> {
  let summary = "An accumulator of zeros";
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_MmaOp : Tile_Op<"mma", [MemoryEffects<[MemRead]>, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "accumulator += scale * rows times panel";
  let description = [{
    Multiplies a block of rows, from the stationary buffer or from memory, `%x[%t, %k, %s]`, by one panel of a weight
    block, `%w[%b, %j, %n]`, over the whole depth of input group k, and adds to an f32 accumulator. Without `scale` the
    coefficient is 1. With `signs` every coefficient is +1 or -1, which costs no time on a tensor core and almost none
    elsewhere. Any other coefficient is rounded to f32 and multiplies the rows.
  }];
  let arguments = (ins Tile_MatrixOrBuffer:$rows, Index:$row_type, Index:$input_group, Index:$row,
                       Tile_MatrixOrBuffer:$weights, Index:$weight_row, Index:$group, Index:$column,
                       Tile_FragmentType:$accumulator, Optional<F32>:$scale, UnitAttr:$signs);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = [{
    $rows `[` $row_type `,` $input_group `,` $row `]` `,` $weights `[` $weight_row `,` $group `,` $column `]` `,` $accumulator
    (`scale` $scale^)? (`signs` $signs^)? attr-dict `:` type($rows) `,` type($weights) `,` type($accumulator)
  }];
  let hasVerifier = 1;
}

def Tile_MapInput : AnyTypeOf<[Tile_FragmentType, Tile_MatrixType, F32], "fragment, matrix in memory or number">;

def Tile_MapOp : Tile_Op<"map", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>,
                             SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Element by element on fragments, matrices in memory and numbers";
  let description = [{
    The body is scalar code of the `arith` and `math` dialects, with one argument for each input; it yields one value.
    It is run for every element of the result. Each input gives it one argument:

    | input | its type | the argument |
    | --- | --- | --- |
    | `%sum` | a fragment | the element at the same place |
    | `%bias[%j, %n]` | a matrix of one row, as wide as the result | the number of the column, of columns n, n+1, ... of output group j |
    | `%scale[%t, %s]` | a matrix of one column, as high as X | the number of the row, of rows s, s+1, ... of type t |
    | `%other[%t, %s, %j, %n]` | a matrix of the result's shape | the element at the same place of the result |
    | `%alpha` | `f32` | that number |

    Where a kernel owns rows of the batch, whatever their types, one index stands for type and row: `%scale[%r]` and
    `%other[%r, %j, %n]`. Rows and columns that do not exist are not read, and the body's results for them are never
    stored.

    The body uses its arguments and constants. Arithmetic is in f32: elements in bf16 are widened in the body, and the
    rounding to bf16 before the store is part of a map, too. The following map adds a bias and rounds the sum once:

    ```mlir
    %h = tile.map (%v = %sum : !tile.fragment<8x48xf32>, %b = %bias[%j, %n] : !tile.matrix<1x6144xbf16>)
        -> !tile.fragment<8x48xbf16> {
      %wide = arith.extf %b : bf16 to f32
      %biased = arith.addf %v, %wide : f32
      %r = arith.truncf %biased : f32 to bf16
      tile.yield %r : bf16
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_MapInput>:$inputs, Variadic<Index>:$indices, DenseI32ArrayAttr:$index_counts);
  let results = (outs Tile_FragmentType:$result);
  let regions = (region SizedRegion<1>:$body);
  let builders = [
    /// Each input with its indices; the body is for the caller to fill in.
    OpBuilder<(ins "::tile::FragmentType":$result, "::llvm::ArrayRef<::tile::MapInput>":$inputs)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What an input hands to the body.
    MapInputKind getInputKind(unsigned input);
    /// The indices of an input that lies in memory.
    ::mlir::OperandRange getIndicesOf(unsigned input);
  }];
}

def Tile_MaskOp : Tile_Op<"mask", [Pure]> {
  let summary = "Which rows and columns of a fragment exist";
  let description = [{
    `rows(%t, %s)`: rows s, s+1, ... of type t exist up to the number of its rows. `columns(%j, %n)`: columns n, n+1,
    ... of output group j exist up to the width of the group.
  }];
  let arguments = (ins Index:$row_type, Index:$row, Index:$group, Index:$column);
  let results = (outs Tile_MaskType:$result);
  let assemblyFormat = [{
    `rows` `(` $row_type `,` $row `)` `columns` `(` $group `,` $column `)` attr-dict `:` type($result)
  }];
}

def Tile_StoreOp : Tile_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Write a finished tile of the result";
  let description = [{
    Writes the elements of a fragment that are inside the mask to rows s, s+1, ... of type t and columns n, n+1, ... of
    output group j. Every element of the result is written by exactly one store, and never read back.
  }];
  let arguments = (ins Tile_FragmentType:$value, Tile_MatrixType:$target, Index:$row_type, Index:$row,
                       Index:$group, Index:$column, Tile_MaskType:$mask);
  let assemblyFormat = [{
    $value `to` $target `[` $row_type `,` $row `,` $group `,` $column `]` `mask` $mask attr-dict
    `:` type($value) `,` type($target) `,` type($mask)
  }];
  let hasVerifier = 1;
}

include "dialects/tile/tile_layer_ops.td"
include "dialects/tile/tile_weight_gradient_ops.td"
include "dialects/tile/tile_elementwise_ops.td"
include "dialects/tile/tile_reduction_ops.td"

#endif
