#ifndef ALGCTL_TILE_LAYER_OPS
#define ALGCTL_TILE_LAYER_OPS

// Kernels of two layers: the product of what another product has left, which never reaches main memory. Included by
// tile_ops.td.

def Tile_LayerOp : Tile_Op<"layer", [SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects]> {
  let summary = "What belongs to another layer of the kernel";
  let description = [{
    The layout and the schedule of a kernel are those of the layer that writes its results. Inside this op the ones given
    here stand for them: groups, terms and blocks of the weight matrix are those of another layer, whose results the
    kernel's own layer multiplies. Rows have the same types in both, and both schedules own the same types and rows,
    because an output slot `(t, j)` needs the input groups that `B(t, j)` names, of rows of its own type, and nothing
    that another worker computes. Where operands come in stages, the columns of the layer's tiles are the depth in which
    the kernel's own layer multiplies them. In kernels of vector reductions both layers have the same rows, threads and
    cluster, and a row its own groups (`tile.row_terms`).

    ```mlir
    %held = tile.layer attributes {layout = #hidden, schedule = #of_hidden} -> !tile.buffer<64x2048xf32> {
      %rows = tile.hold %x[%i, %r] : !tile.matrix<?x2048xf32> -> !tile.buffer<64x2048xf32>
      tile.yield %rows : !tile.buffer<64x2048xf32>
    }
    ```
  }];
  let arguments = (ins Tile_LayoutAttr:$layout, AnyAttrOf<[Tile_ScheduleAttr, Tile_StagedAttr, Tile_ReducedAttr]>:$schedule);
  let results = (outs Variadic<AnyType>:$values);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword (`->` type($values)^)? $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The schedule of a layer whose workers are threads, or null.
    ScheduleAttr getThreadSchedule() { return ::llvm::dyn_cast<ScheduleAttr>(getSchedule()); }
    /// The schedule of a layer whose operands come in stages, or null.
    StagedAttr getStagedSchedule() { return ::llvm::dyn_cast<StagedAttr>(getSchedule()); }
    /// The schedule of a layer of vector reductions, or null.
    ReducedAttr getReducedSchedule() { return ::llvm::dyn_cast<ReducedAttr>(getSchedule()); }
  }];
}

def Tile_OnceOp : Tile_Op<"once", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "What a task does for an input group when it first needs it";
  let description = [{
    Runs its body where the task, one iteration of the `tile.forall`, has not run it for these rows' type and this group
    before. Inside `tile.terms` of a layer it makes what the terms read, and each input group once, whatever number of
    output groups has a term with it: for Q(q) the group of the rows' own type at the first output group, any other at
    its own, where it is used while it is still in the nearest cache.

    ```mlir
    tile.terms (%k, %b, %c) of (%t, %j) {
      tile.once (%t, %k) {
        // rows of type %t of input group %k
      }
    }
    ```

    `%t` and `%k` are the type and the group of loops over rows and columns inside.

    In a kernel whose operands come in stages a task is a tile, and `stationary = G` of the schedule lets a worker keep the
    group of the rows' own type for G tiles of consecutive groups.
  }];
  let arguments = (ins Index:$row_type, Index:$group);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "` ` `(` $row_type `,` $group `)` attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Tile_StoreHeldOp : Tile_Op<"store_held", [MemoryEffects<[MemWrite]>]> {
  let summary = "Write a finished tile into rows that another layer multiplies";
  let description = [{
    As `tile.store`, but into a buffer of the rows that the task owns, of which the input groups of the layer that
    multiplies them are the output groups of the layer around this op. The mask says which columns are written; rows
    that do not exist may be. A buffer of f32 takes bf16, too, which it holds exactly.

    ```mlir
    tile.store_held %h to %hidden[%t, %s, %k, %n] mask %mask : <6x16xf32>, <64x6144xf32>, <6x16>
    ```
  }];
  let arguments = (ins Tile_FragmentType:$value, Tile_BufferType:$target, Index:$row_type, Index:$row,
                       Index:$group, Index:$column, Tile_MaskType:$mask);
  let assemblyFormat = [{
    $value `to` $target `[` $row_type `,` $row `,` $group `,` $column `]` `mask` $mask attr-dict
    `:` type($value) `,` type($target) `,` type($mask)
  }];
  let hasVerifier = 1;
}

#endif
