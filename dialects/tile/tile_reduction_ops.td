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

    ```mlir
    %sum = tile.add_row_terms %x[%r], %w[%j, %n], %zero
        : !tile.matrix<?x2048xbf16>, !tile.matrix<2048x6144xbf16>, !tile.fragment<4x64xf32>
    ```
  }];
  let arguments = (ins Tile_MatrixType:$rows, Index:$row, Tile_MatrixType:$weights, Index:$group, Index:$column,
                       Tile_FragmentType:$sums);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = [{
    $rows `[` $row `]` `,` $weights `[` $group `,` $column `]` `,` $sums attr-dict `:` type($rows) `,` type($weights) `,` type($sums)
  }];
  let hasVerifier = 1;
}

def Tile_StoreRowsOp : Tile_Op<"store_rows", [MemoryEffects<[MemWrite]>]> {
  let summary = "Write finished rows of the result";
  let description = [{
    Writes a fragment to rows r, r+1, ... of the batch and columns n, n+1, ... of output group j, as far as the batch has such rows
    and the group such columns. Every element of the result is written by exactly one store.
  }];
  let arguments = (ins Tile_FragmentType:$value, Tile_MatrixType:$target, Index:$row, Index:$group, Index:$column);
  let assemblyFormat = [{
    $value `to` $target `[` $row `,` $group `,` $column `]` attr-dict `:` type($value) `to` type($target)
  }];
  let hasVerifier = 1;
}

#endif
