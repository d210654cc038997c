// Rows of the batch as they lie, each with the terms of its own type: kernels of vector reductions.
#ifndef ALGCTL_TILE_REDUCTION_OPS
#define ALGCTL_TILE_REDUCTION_OPS

include "dialects/tile/tile_types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_AddRowTermsOp : Tile_Op<"add_row_terms", [MemoryEffects<[MemRead]>, AllTypesMatch<["sums", "result"]>]> {
  let summary = "sums += all terms of each row's own type";
  let description = [{
    Adds to row s of the sums, for every term of (type of row r + s, output group j), the term's coefficient times row r +
    s of input group k times columns n, n+1, ... of weight block (b, j). The type of a row is known at the launch: its
    position follows from p0, or is read from device memory. A block of the weight matrix that several rows use may be
    read once for all of them. Each row adds its own terms in one order, whatever the other rows are. Rows past the end
    of the batch have no terms.

    Inside of `tile.row_terms` the output group may be the op's %k: of every row its own. In a kernel of two layers the
    rows may be those that the first one left in a buffer.

    ```mlir
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero
        : !tile.matrix<?x2048xbf16>, !tile.matrix<2048x6144xbf16>, !tile.fragment<4x64xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Tile_MatrixType, Tile_BufferType]>:$rows, Index:$row, Tile_MatrixType:$weights,
                       Index:$group, Index:$column, Tile_FragmentType:$sums);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = [{
    $rows `[` $row `]` `,` $weights `[` $group `,` $column `]` `,` $sums attr-dict `:` type($rows) `,` type($weights) `,` type($sums)
  }];
  let hasVerifier = 1;
}

def Tile_RowTermsOp : Tile_Op<"row_terms", [SingleBlock, NoTerminator, RecursiveMemoryEffects,
                                       DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "The input groups of the terms of some rows, one after the other";
  let description = [{
    Runs its body as often as one of the rows has terms of (its type, output group j): %k is, of every row, the
    input group that its own next term names. A row whose terms are through takes part no more. So rows of different
    types go through their terms side by side, in the order in which `tile.add_row_terms` adds them.

    ```mlir
    %hidden = tile.buffer : !tile.buffer<4x6144xbf16>
    tile.row_terms (%k) of (%r, %j) {
      tile.layer attributes {layout = #hidden, schedule = #of_hidden} {
        tile.for (%n) over [<columns, 64>] {
          %zero = tile.zero : <4x64xf32>
          %h = tile.add_row_terms %x[%r], %w[%k, %n], %zero : ...
          ...
          tile.store_rows %rounded to %hidden[%r, %k, %n] : <4x64xbf16> to !tile.buffer<4x6144xbf16>
        }
      }
    }
    %sum = tile.add_row_terms %hidden[%r], %w2[%j, %n], %zero : ...
    ```
  }];
  let arguments = (ins Index:$row, Index:$group);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_StoreRowsOp : Tile_Op<"store_rows", [MemoryEffects<[MemWrite]>]> {
  let summary = "Write finished rows of the result";
  let description = [{
    Writes a fragment to rows r, r+1, ... of the batch and columns n, n+1, ... of output group j, as far as the batch has such rows
    and the group such columns. Every element of the result is written by exactly one store. In a layer whose results
    another one multiplies the target is a buffer, and the group of every row its own.
  }];
  let arguments = (ins Tile_FragmentType:$value, AnyTypeOf<[Tile_MatrixType, Tile_BufferType]>:$target, Index:$row,
                       Index:$group, Index:$column);
  let assemblyFormat = [{
    $value `to` $target `[` $row `,` $group `,` $column `]` attr-dict `:` type($value) `to` type($target)
  }];
  let hasVerifier = 1;
}

#endif
