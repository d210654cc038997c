#ifndef ALGCTL_TILE_WEIGHT_GRADIENT_OPS
#define ALGCTL_TILE_WEIGHT_GRADIENT_OPS

// Ops of mode j, dW = X^T dY: its terms run over rows, its tiles stay where they are summed up. Included by
// tile_ops.td.

//===--------------------------------------------------------------------------------------------===//
// The gradient of the weight matrix: terms of a block, operands, products, the store
//===--------------------------------------------------------------------------------------------===//

def Tile_WeightTermsOp : Tile_Op<"weight_terms", [SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects,
                                 DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "The terms of one block of the weight matrix";
  let description = [{
    Runs its body once for every term of block (b, j), in ascending type, output group and input group: rows of type t
    add c times (input group k of X)^T (output group o of dY). Where the layout's support is regular (Q(q): a block on
    the diagonal has a term of every type, any other block only that of type b) a target computes the terms; otherwise
    it reads a small table.

    ```mlir
    tile.weight_terms (%t, %k, %o, %c) of (%b, %j) { ... }
    ```

    Sums that stay in registers are carried from term to term, as by `tile.terms`:

    ```mlir
    %total = tile.weight_terms (%t, %k, %o, %c) of (%b, %j) carry(%sum = %zero) : !tile.fragment<64x128xf32> {
      %next = tile.mma_rows %x[%t, %k, %f], %dy[%t, %o, %n], %sum scale %c : ...
      tile.yield %next : !tile.fragment<64x128xf32>
    }
    ```
  }];
  let arguments = (ins Index:$weight_row, Index:$group, Variadic<Tile_FragmentType>:$inits);
  let results = (outs Variadic<Tile_FragmentType>:$sums);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_BringOp : Tile_Op<"bring", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Copy rows of X or dY into panels for products over rows";
  let description = [{
    Copies rows s, s+1, ... of type t, as many as the schedule goes through at a time or as there are, into panels:
    along `features` the features f, f+1, ... of input group g, along `columns` the columns n, n+1, ... of output group
    g, as many as the buffer is wide. Elements past the end of the group become zero. In the buffer the elements are
    f32; `scale` multiplies them. With `signs` every scale is +1 or -1.

    Into panels of pairs, `panels 48 x 2`, bf16 elements are copied unchanged, for machines that multiply pairs of bf16:
    the depth of these products is the rows, so that every 2 consecutive rows of a column lie side by side. The partner
    of an odd last row is zero. Pairs can only be scaled by signs, as other products would have to be rounded.

    For a matrix unit (`unit = amx` in the schedule) rows of X come into `panels 32 x 32`: a feature has 32 consecutive
    rows side by side, which transposes X, and rows of dY into pairs. Both are filled up with zeros to a multiple of 32
    rows.

    ```mlir
    tile.bring %x[%t, %k, %s, %f] along <features> to %xs scale %c signs
        : !tile.matrix<?x2048xbf16> to !tile.buffer<64x64xbf16, panels 8 x 2>
    ```
  }];
  let arguments = (ins Tile_MatrixType:$source, Index:$row_type, Index:$source_group, Index:$row, Index:$first,
                       Tile_AxisKindAttr:$axis, Tile_BufferType:$target, Optional<F32>:$scale, UnitAttr:$signs);
  let assemblyFormat = [{
    $source `[` $row_type `,` $source_group `,` $row `,` $first `]` `along` $axis `to` $target
    (`scale` $scale^)? (`signs` $signs^)? attr-dict `:` type($source) `to` type($target)
  }];
  let hasVerifier = 1;
}

def Tile_OuterOp : Tile_Op<"outer", [MemoryEffects<[MemRead]>, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "accumulator += (a panel of X)^T (a panel of dY), over rows";
  let description = [{
    Adds the outer products of the rows s, s+1, ... of type t that `tile.bring` copied, one after another: the panel of
    `left` at feature f times the panel of `right` at column n. Sums are f32. With panels of pairs of bf16 two rows are
    added at once, by a matrix unit 32; either both panels have pairs, or neither, or the left one has 32 rows of a
    feature side by side, as that unit takes them.
  }];
  let arguments = (ins Tile_BufferType:$left, Index:$feature, Tile_BufferType:$right, Index:$column,
                       Index:$row_type, Index:$row, Tile_FragmentType:$accumulator);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = [{
    $left `[` $feature `]` `,` $right `[` $column `]` `rows` `(` $row_type `,` $row `)` `,` $accumulator attr-dict
    `:` type($left) `,` type($right) `,` type($accumulator)
  }];
  let hasVerifier = 1;
}

def Tile_MmaRowsOp : Tile_Op<"mma_rows", [MemoryEffects<[MemRead]>, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "accumulator += scale * (rows of X)^T times (rows of dY)";
  let description = [{
    Multiplies over all rows of type t: features f, f+1, ... of input group k of X, `%x[%t, %k, %f]`, transposed, by
    columns n, n+1, ... of output group o of dY, `%dy[%t, %o, %n]`, both from memory. It contracts over the rows of a
    type as `tile.mma` contracts over the depth of a group. Sums are f32; `scale` and `signs` are those of `tile.mma`.
  }];
  let arguments = (ins Tile_MatrixType:$left, Index:$row_type, Index:$input_group, Index:$feature,
                       Tile_MatrixType:$right, Index:$right_type, Index:$output_group, Index:$column,
                       Tile_FragmentType:$accumulator, Optional<F32>:$scale, UnitAttr:$signs);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = [{
    $left `[` $row_type `,` $input_group `,` $feature `]` `,` $right `[` $right_type `,` $output_group `,` $column `]` `,`
    $accumulator (`scale` $scale^)? (`signs` $signs^)? attr-dict `:` type($left) `,` type($right) `,` type($accumulator)
  }];
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "Load sums from a buffer into registers";
  let description = [{
    The result is the fragment at feature f and column n of the tile whose sums the buffer holds.
  }];
  let arguments = (ins Tile_BufferType:$sums, Index:$feature, Index:$column);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = "$sums `[` $feature `,` $column `]` attr-dict `:` type($sums) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_KeepOp : Tile_Op<"keep", [MemoryEffects<[MemWrite]>]> {
  let summary = "Store sums from registers back into a buffer";
  let arguments = (ins Tile_FragmentType:$value, Tile_BufferType:$sums, Index:$feature, Index:$column);
  let assemblyFormat = "$value `to` $sums `[` $feature `,` $column `]` attr-dict `:` type($value) `to` type($sums)";
  let hasVerifier = 1;
}

def Tile_StoreWeightOp : Tile_Op<"store_weights", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Write a finished tile of dW, or add it to the old values";
  let description = [{
    Writes rows f, f+1, ... and columns n, n+1, ... of block (b, j), as far as the block has them. The launch gives
    beta. With beta 0 the sums are written, and the old values are not read; otherwise beta times the old values is
    added. Either way the sum is rounded once, to the element type of dW. Every element is written by exactly one store.
  }];
  let arguments = (ins Tile_FragmentType:$value, Tile_MatrixType:$target, Index:$weight_row, Index:$feature,
                       Index:$group, Index:$column);
  let assemblyFormat = [{
    $value `to` $target `[` $weight_row `,` $feature `,` $group `,` $column `]` attr-dict
    `:` type($value) `to` type($target)
  }];
  let hasVerifier = 1;
}

#endif
