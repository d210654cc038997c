// Shared memory and its barriers; copies by the engine, and by the threads of the block.
#ifndef ALGCTL_SM_MEMORY_OPS
#define ALGCTL_SM_MEMORY_OPS

include "dialects/sm/sm_op.td"

//===--------------------------------------------------------------------------------------------===//
// Shared memory and barriers
//===--------------------------------------------------------------------------------------------===//

def Sm_AllocateOp : Sm_Op<"allocate", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "Shared memory for blocks: the stages of a buffer";
  let description = [{ Every stage begins at a multiple of 1024 bytes, the period of the widest swizzle. }];
  let results = (outs Sm_BufferType:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Sm_BarriersOp : Sm_Op<"barriers", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "Shared memory for mbarriers, one for each stage of a pipe, each completed by a number of arrivals";
  let arguments = (ins I64Attr:$arrivals);
  let results = (outs Sm_BarriersType:$barriers);
  let assemblyFormat = "`arrivals` $arrivals attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def Sm_InitializeOp : Sm_Op<"initialize", [HasParent<"KernelOp">, MemoryEffects<[MemWrite]>]> {
  let summary = "Initialise barriers, and make them visible to the asynchronous engines and to all threads of the block";
  let description = [{
    One thread initialises the barriers and executes fence.mbarrier_init; then the block's threads wait for each other
    at barrier 0. With `cluster` the threads of all blocks of the cluster wait at the cluster's barrier instead, since
    the other blocks signal these barriers, too.
  }];
  let arguments = (ins Variadic<Sm_BarriersType>:$barriers, UnitAttr:$cluster);
  let assemblyFormat = "$barriers (`cluster` $cluster^)? attr-dict `:` type($barriers)";
}

def Sm_ExpectOp : Sm_Op<"expect", [Sm_RunsInOneThread, MemoryEffects<[MemWrite]>]> {
  let summary = "Arrive at a barrier and announce how many bytes will be loaded before it completes";
  let description = [{
    `bytes` is the number of bytes that are always loaded. `plus` adds the bytes of loads that depend on a condition.
  }];
  let arguments = (ins Sm_BarriersType:$barriers, Index:$stage, I64Attr:$bytes, Optional<Index>:$more);
  let assemblyFormat = "$barriers `[` $stage `]` `bytes` $bytes (`plus` $more^)? attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def Sm_WaitOp : Sm_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until the phase of a barrier with the given parity has completed";
  let description = [{
    With `cluster`, writes that threads of other blocks have published by arriving are visible, too.
  }];
  let arguments = (ins Sm_BarriersType:$barriers, Index:$stage, I32:$parity, UnitAttr:$cluster);
  let assemblyFormat = [{
    $barriers `[` $stage `]` `parity` $parity (`cluster` $cluster^)? attr-dict `:` type($barriers)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$barriers, "::mlir::Value":$stage, "::mlir::Value":$parity), [{
    build($_builder, $_state, barriers, stage, parity, /*cluster=*/false);
  }]>];
}

def Sm_ArriveOp : Sm_Op<"arrive", [MemoryEffects<[MemWrite]>]> {
  let summary = "One arrival from each warp";
  let description = [{
    The first lane of every warp arrives; in an `sm.elect` the elected thread does. Tensor-core instructions complete
    warp by warp, so that each warp arrives for itself once all of its lanes have waited for its own instructions.

    With `at %mask`, every warp arrives at the corresponding barrier of each block of the cluster whose bit is set: lane
    l at the barrier of block l. Such an arrival means that the products have read the stage; it publishes no writes to
    other blocks. With `publish`, earlier writes and reads of the warp's lanes are ordered before the wait for the
    barrier's phase by any thread of this block, or with a mask of the `cluster`.
  }];
  let arguments = (ins Sm_BarriersType:$barriers, Index:$stage, Optional<Index>:$mask, UnitAttr:$publish);
  let assemblyFormat = [{
    $barriers `[` $stage `]` (`at` $mask^)? (`publish` $publish^)? attr-dict `:` type($barriers)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$barriers, "::mlir::Value":$stage, "::mlir::Value":$mask), [{
    build($_builder, $_state, barriers, stage, mask, /*publish=*/false);
  }]>];
  let hasVerifier = 1;
}

def Sm_ClusterSyncOp : Sm_Op<"cluster_sync", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Barrier of all threads of all blocks of the cluster";
  let description = [{
    The op stands at the end of each partition: no block may exit while others still copy into its shared memory or
    arrive at its barriers. It orders those copies and arrivals before the exit. In kernels without partitions it also
    makes what threads of one block wrote to its shared memory visible to those of the others.
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Sm_SyncOp : Sm_Op<"sync", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Named barrier of the threads of each warpgroup";
  let assemblyFormat = "attr-dict";
}

def Sm_FenceOp : Sm_Op<"fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Make this thread's writes to shared memory visible to the asynchronous engines (fence.proxy.async)";
  let assemblyFormat = "attr-dict";
}

//===--------------------------------------------------------------------------------------------===//
// Copies
//===--------------------------------------------------------------------------------------------===//

def Sm_LoadOp : Sm_Op<"load", [Sm_RunsInOneThread, AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Copy a block into a stage, asynchronously; a barrier counts its bytes";
  let description = [{
    The load is one tensor-map copy for each panel of the stage, with the column coordinate advancing by the panel's
    width. Elements outside the map arrive as zeros, and their bytes are counted. Until barriers are inserted, no
    barrier is signalled.

    With `row`, the block is a part of the stage: as many rows as the maps' boxes have, from that row on. With `where`,
    nothing is loaded and no bytes arrive unless the condition is true.

    ```mlir
    sm.load %x[%map][%column, %group, %segment, %row] to %a[%stage] signal %full[%stage] : !sm.maps<...> to !sm.buffer<...>, !sm.barriers<5>
    sm.load %x[%map][%column, %group, %segment, %row] to %a[%stage] row 64 where %wanted : !sm.maps<2 x 64 x 64 x bf16, ...> to !sm.buffer<5 x 128 x 64 x bf16, ...>
    ```

    With `part` (see `sm.fetch`), the part is copied to its rows of the stage in the shared memory of every thread block
    of the mask, and signals the corresponding barrier of each. Every thread block receives the bytes of its whole
    stage.

    With `evict_first` the copies say so to the second-level cache (`sm.fetch`).

    Where `narrow` is true, only the panels are loaded that have some of as many columns as follow `to`, and only their
    bytes arrive.

    ```mlir
    sm.load %w[%map][%column, %group, %depth, %row] to %b[%stage] narrow %last to 32 : !sm.maps<...> to !sm.buffer<5 x 64 x 256 x bf16, swizzle 128>
    ```
  }];
  let arguments = (ins Sm_MapsType:$source, Index:$map, Variadic<Index>:$coordinates, Sm_BufferType:$target, Index:$stage,
                       Optional<Index>:$part, OptionalAttr<I64Attr>:$parts, Optional<Index>:$mask,
                       Optional<Sm_BarriersType>:$barriers, Optional<Index>:$barrier_stage,
                       OptionalAttr<I64Attr>:$row, Optional<I1>:$condition, Optional<I1>:$narrow,
                       OptionalAttr<I64Attr>:$narrow_columns, UnitAttr:$evict_first);
  let assemblyFormat = [{
    $source `[` $map `]` `[` $coordinates `]` `to` $target `[` $stage `]` (`part` $part^ `of` $parts)?
    (`multicast` $mask^)? (`row` $row^)? (`where` $condition^)? (`narrow` $narrow^ `to` $narrow_columns)? (`evict_first` $evict_first^)? (`signal` $barriers^ `[` $barrier_stage `]`)? attr-dict
    `:` type($source) `to` type($target) (`,` type($barriers)^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$map, "::mlir::ValueRange":$coordinates,
                                 "::mlir::Value":$target, "::mlir::Value":$stage, "::mlir::Value":$barriers,
                                 "::mlir::Value":$barrier_stage), [{
    build($_builder, $_state, source, map, coordinates, target, stage, ::mlir::Value(), ::mlir::IntegerAttr(),
          ::mlir::Value(), barriers, barrier_stage, ::mlir::IntegerAttr(), ::mlir::Value(), ::mlir::Value(),
          ::mlir::IntegerAttr(), /*evict_first=*/false);
  }]>];
  let extraClassDeclaration = [{
    /// That arrive where the load is made: of all parts, where other blocks load the others.
    int64_t getBytes() {
      MapsType maps = getSource().getType();
      return static_cast<int64_t>(getParts().value_or(1)) * maps.getRows() * maps.getColumns() * maps.getElementType().getIntOrFloatBitWidth() / 8;
    }
    /// Panels that are loaded where the load is narrow; all of them where it never is.
    int64_t getNarrowPanels();
    /// Bytes that arrive there.
    int64_t getNarrowBytes() { return getBytes() / getTarget().getType().getPanels() * getNarrowPanels(); }
  }];
  let hasVerifier = 1;
}

def Sm_StoreOp : Sm_Op<"store", [Sm_RunsInOneThread, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Copy a stage to the result, asynchronously; elements outside the map are not written";
  let description = [{
    The stage may consist of several boxes of the maps, side by side or one below the other. With `columns`, only the
    panels are stored that have some of so many columns. With `added`, the copy engine adds the stage, of f32, to what
    the result holds.
  }];
  let arguments = (ins Sm_BufferType:$source, Index:$stage, Sm_MapsType:$target, Index:$map, Variadic<Index>:$coordinates,
                       OptionalAttr<I64Attr>:$columns, UnitAttr:$added);
  let assemblyFormat = [{
    $source `[` $stage `]` (`columns` $columns^)? (`added` $added^)? `to` $target `[` $map `]` `[` $coordinates `]` attr-dict
    `:` type($source) `to` type($target)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$stage, "::mlir::Value":$target,
                                 "::mlir::Value":$map, "::mlir::ValueRange":$coordinates), [{
    build($_builder, $_state, source, stage, target, map, coordinates, ::mlir::IntegerAttr(), /*added=*/false);
  }]>];
  let hasVerifier = 1;
}

def Sm_StoreCommitOp : Sm_Op<"store_commit", [Sm_RunsInOneThread, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Close the group of stores that this thread has issued";
  let assemblyFormat = "attr-dict";
}

def Sm_StoreWaitOp : Sm_Op<"store_wait", [Sm_RunsInOneThread, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until at most `pending` of this thread's store groups have not read their source";
  let description = [{ With `written`, until their writes have been made, too. }];
  let arguments = (ins I64Attr:$pending, UnitAttr:$written);
  let assemblyFormat = "$pending (`written` $written^)? attr-dict";
  let hasVerifier = 1;
}

//===--------------------------------------------------------------------------------------------===//
// Copies by the threads of the block
//===--------------------------------------------------------------------------------------------===//

def Sm_CopyOp : Sm_Op<"copy", [Sm_RunsInAllThreads, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Copy a block into a stage, asynchronously, all threads of the block together";
  let description = [{
    Each thread moves vectors of the map's `vector` elements, of 2 to 16 bytes, into their places in the stage's
    swizzled panels. Elements outside the map arrive as zeros and are not read. A vector never crosses the map's edge:
    the vector divides the map's widths, and the first column must be a multiple of the vector.

    Vectors of 4, 8 and 16 bytes are copied by cp.async, and belong to the group that the next `sm.copy_commit` closes.
    cp.async cannot copy 2 bytes: single elements go through registers and have arrived when the op is done. Either way,
    other threads may rely on them only after `sm.copy_wait` and `sm.block_sync`.

    ```mlir
    sm.copy %x[%map][%column, %group, %segment, %row] to %a[%stage]
        : !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 8> to !sm.buffer<4 x 64 x 32 x bf16, swizzle 64>
    ```
  }];
  let arguments = (ins Sm_MapsType:$source, Index:$map, Variadic<Index>:$coordinates, Sm_BufferType:$target, Index:$stage);
  let assemblyFormat = [{
    $source `[` $map `]` `[` $coordinates `]` `to` $target `[` $stage `]` attr-dict `:` type($source) `to` type($target)
  }];
  let hasVerifier = 1;
}

def Sm_CopyCommitOp : Sm_Op<"copy_commit", [Sm_RunsInAllThreads, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Close the group of copies that this thread has issued since the last one";
  let description = [{ A group may be empty; `sm.copy_wait` counts it, too. }];
  let assemblyFormat = "attr-dict";
}

def Sm_CopyWaitOp : Sm_Op<"copy_wait", [Sm_RunsInAllThreads, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until at most `pending` of this thread's latest groups of copies have not arrived";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}

def Sm_BlockSyncOp : Sm_Op<"block_sync", [Sm_RunsInAllThreads, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Barrier of all threads of the block, which makes their writes to shared memory visible";
  let assemblyFormat = "attr-dict";
}

#endif
