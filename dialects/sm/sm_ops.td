#ifndef ALGCTL_SM_OPS
#define ALGCTL_SM_OPS

include "dialects/sm/sm_types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def Sm_RunsInOneThread : NativeOpTrait<"RunsInOneThread"> { let cppNamespace = "::sm"; }
def Sm_RunsInAllThreads : NativeOpTrait<"RunsInAllThreads"> { let cppNamespace = "::sm"; }

def Sm_BlockOrBuffer : AnyTypeOf<[Sm_BlockType, Sm_BufferType], "block, or the buffer that it lies in">;

class Sm_Op<string opMnemonic, list<Trait> traits = []> : Op<Sm_Dialect, opMnemonic, traits>;

//===--------------------------------------------------------------------------------------------===//
// The kernel and its roles
//===--------------------------------------------------------------------------------------------===//

def Sm_KernelOp : Sm_Op<"kernel", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator,
                               DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "One kernel on a persistent grid";
  let description = [{
    The arguments of the body are the maps of X, W and Y, the number of rows M and the row offset modulo
    the period of the row types (both `index`), and the terms table. Layout and schedule are those of the tile
    program that it came from.

    ```mlir
    sm.kernel @forward(%x: !sm.maps<...>, %w: !sm.maps<...>, %y: !sm.maps<...>, %rows: index, %offset: index,
                       %terms: !sm.terms_table) attributes {layout = #tile.layout<...>, schedule = ...} { ... }
    ```

    What stands in no role, all threads of the block run. Where there are roles, those are allocations alone. A
    kernel without roles has 32 threads for each of the `warps` of its `#tile.staged` schedule.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, AnyAttr:$layout, AnyAttr:$schedule);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Sm_RoleOp : Sm_Op<"role", [HasParent<"KernelOp">, SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "What some warpgroups of the block do";
  let description = [{
    Warpgroups are dealt out in the order of the roles in the kernel. The role's threads run the body with
    `registers` registers each (a multiple of 8; setmaxnreg on entry), the other threads go on to the next role.

    ```mlir
    sm.role multiply warpgroups 2 registers 232 { ... }
    sm.role load warpgroups 1 registers 40 { ... }
    ```
  }];
  let arguments = (ins Sm_RoleKind:$kind, I64Attr:$warpgroups, I64Attr:$registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$kind `warpgroups` $warpgroups `registers` $registers $body attr-dict";
  let hasVerifier = 1;
}

def Sm_ElectOp : Sm_Op<"elect", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "Runs its body in one thread of each warpgroup of the role";
  let description = [{
    Always the same thread, one of the warpgroup's first warp, so that what it issued it can also wait for.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
  let hasVerifier = 1;
}

def Sm_BlockIndexOp : Sm_Op<"block_index", [Pure]> {
  let summary = "Index of this thread block in the grid";
  let results = (outs Index:$index);
  let assemblyFormat = "attr-dict";
}

def Sm_BlockCountOp : Sm_Op<"block_count", [Pure]> {
  let summary = "Number of thread blocks in the grid";
  let results = (outs Index:$count);
  let assemblyFormat = "attr-dict";
}

def Sm_ClusterRankOp : Sm_Op<"cluster_rank", [Pure]> {
  let summary = "Index of this thread block in its cluster";
  let description = [{
    The number by which masks and addresses name a block of the cluster (%cluster_ctarank).
  }];
  let results = (outs Index:$rank);
  let assemblyFormat = "attr-dict";
}

def Sm_WarpgroupOp : Sm_Op<"warpgroup", [Pure]> {
  let summary = "Index of this warpgroup among those of its role";
  let results = (outs Index:$index);
  let assemblyFormat = "attr-dict";
}

def Sm_WaitForPredecessorOp : Sm_Op<"wait_for_predecessor", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until the grid before this one has ended and its writes are visible (griddepcontrol.wait)";
  let assemblyFormat = "attr-dict";
}

def Sm_ReleaseSuccessorOp : Sm_Op<"release_successor", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Let the grid after this one begin (griddepcontrol.launch_dependents)";
  let assemblyFormat = "attr-dict";
}

def Sm_ReadTermsOp : Sm_Op<"read_terms", [MemoryEffects<[MemRead]>]> {
  let summary = "One word of the terms table";
  let arguments = (ins Sm_TermsTableType:$table, Index:$position);
  let results = (outs I32:$word);
  let assemblyFormat = "$table `[` $position `]` attr-dict";
}

//===--------------------------------------------------------------------------------------------===//
// Synchronous programs: blocks are values
//===--------------------------------------------------------------------------------------------===//

def Sm_FetchOp : Sm_Op<"fetch", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "A block of an operand";
  let description = [{
    What lies outside the map is zero.

    ```mlir
    %a = sm.fetch %x[%map][%column, %group, %line, %row] : !sm.maps<...> -> !sm.block<128 x 64 x bf16>
    ```

    Thread blocks of a cluster that want the same block of an operand fetch it together, each a part of its rows
    for all of them. The coordinates are those of the whole block, the maps' boxes have the rows of one part. Bit r
    of the mask stands for block r of the cluster; all blocks of the mask must come to the op equally often.

    ```mlir
    %b = sm.fetch %w[%map][%column, %group, %depth, %row] part %p of 2 multicast %mask
        : !sm.maps<1 x 32 x 192 x bf16, row_dimension 2> -> !sm.block<64 x 192 x bf16>
    ```
  }];
  let arguments = (ins Sm_MapsType:$source, Index:$map, Variadic<Index>:$coordinates, Optional<Index>:$part,
                       OptionalAttr<I64Attr>:$parts, Optional<Index>:$mask);
  let results = (outs Sm_BlockType:$block);
  let assemblyFormat = [{
    $source `[` $map `]` `[` $coordinates `]` (`part` $part^ `of` $parts)? (`multicast` $mask^)? attr-dict
    `:` type($source) `->` type($block)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$block, "::mlir::Value":$source, "::mlir::Value":$map,
                                 "::mlir::ValueRange":$coordinates), [{
    build($_builder, $_state, block, source, map, coordinates, ::mlir::Value(), ::mlir::IntegerAttr(), ::mlir::Value());
  }]>];
  let hasVerifier = 1;
}

def Sm_HoldOp : Sm_Op<"hold", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "Rows that stay for several products";
  let description = [{
    As `sm.fetch_parts` fetches them, all parts, with as many boxes side by side as the block is wide: it is
    cut into *pieces* of the width of a box. One part is enough.

    ```mlir
    %held = sm.hold %x[%map0, %map1] [%column, %group0, %line0, %row0, %column, %group1, %line1, %row1]
        : !sm.maps<2 x 64 x 64 x bf16, row_dimension 3> -> !sm.block<128 x 192 x bf16>
    ```
  }];
  let arguments = (ins Sm_MapsType:$source, Variadic<Index>:$maps, Variadic<Index>:$coordinates);
  let results = (outs Sm_BlockType:$block);
  let assemblyFormat = [{
    $source `[` $maps `]` `[` $coordinates `]` attr-dict `:` type($source) `->` type($block)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getParts() { return static_cast<int64_t>(getMaps().size()); }
    /// The four coordinates of a part.
    ::mlir::OperandRange getCoordinatesOf(int64_t part) {
      return getCoordinates().slice(static_cast<size_t>(4 * part), 4);
    }
  }];
}

def Sm_FetchPartsOp : Sm_Op<"fetch_parts", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "A block of rows of several types";
  let description = [{
    The parts lie one below the other, each as high as the boxes of the maps; every part comes from a map and four
    coordinates of its own. What lies outside the map is zero. Where `part` is the number of parts, all of them
    are fetched, where it is larger none, otherwise that one alone: the rest of the block is nothing to multiply with.

    ```mlir
    %a = sm.fetch_parts %x[%map0, %map1] [%column, %group, %line0, %row0, %column, %group, %line1, %row1] part %p
        : !sm.maps<2 x 64 x 64 x bf16, row_dimension 3> -> !sm.block<128 x 64 x bf16>
    ```
  }];
  let arguments = (ins Sm_MapsType:$source, Variadic<Index>:$maps, Variadic<Index>:$coordinates, Index:$part);
  let results = (outs Sm_BlockType:$block);
  let assemblyFormat = [{
    $source `[` $maps `]` `[` $coordinates `]` `part` $part attr-dict `:` type($source) `->` type($block)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getParts() { return static_cast<int64_t>(getMaps().size()); }
    /// The four coordinates of a part.
    ::mlir::OperandRange getCoordinatesOf(int64_t part) {
      return getCoordinates().slice(static_cast<size_t>(4 * part), 4);
    }
  }];
}

def Sm_MultiplyOp : Sm_Op<"multiply", [Pure, AttrSizedOperandSegments,
                                   AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "Add the product of two blocks to the sums";
  let description = [{
    Where `negate` holds, the product is subtracted: a coefficient of -1. Other coefficients scale a sum of
    products with `sm.add_scaled`. Where `shallow` holds, the blocks hold zeros behind the depth that follows
    `to`, and only what is before it is multiplied: the last block of a group whose width the depth does not
    divide.

    The sums may consist of parts of as many rows each, one below the other, as `sm.fetch_parts` fetches them. With
    `part 0 of 2`, the product is added to the first half of the rows alone; a part with the number of parts stands
    for all of them. With `held`, a part alone is a piece of the rows that `sm.hold` has brought, and all of them are A.

    ```mlir
    %next = sm.multiply %a, %b, %sum negate %minus shallow %last to 32
        : !sm.block<128 x 64 x bf16>, !sm.block<64 x 192 x bf16>, !sm.accumulator<128 x 192>
    %own = sm.multiply %a, %b, %sum part %p of 2 : !sm.block<...>, !sm.block<...>, !sm.accumulator<128 x 192>
    %stays = sm.multiply %a, %b, %sum part %p of 2 held %rows[%piece] : !sm.block<128 x 192 x bf16> : ...
    ```

    Once they have their place in shared memory, the held rows are a buffer with a slot for each piece.
  }];
  let arguments = (ins Sm_BlockType:$a, Sm_BlockType:$b, Sm_AccumulatorType:$accumulator, Optional<I1>:$negate,
                       Optional<I1>:$shallow, OptionalAttr<I64Attr>:$shallow_depth,
                       Optional<Index>:$part, OptionalAttr<I64Attr>:$parts, Optional<Sm_BlockOrBuffer>:$held,
                       Optional<Index>:$piece);
  let results = (outs Sm_AccumulatorType:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $accumulator (`negate` $negate^)? (`shallow` $shallow^ `to` $shallow_depth)?
    (`part` $part^ `of` $parts)? (`held` $held^ `[` $piece `]` `:` type($held))? attr-dict
    `:` type($a) `,` type($b) `,` type($accumulator)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$a, "::mlir::Value":$b,
                                 "::mlir::Value":$accumulator, "::mlir::Value":$negate), [{
    build($_builder, $_state, result, a, b, accumulator, negate, ::mlir::Value(), ::mlir::IntegerAttr(),
          ::mlir::Value(), ::mlir::IntegerAttr(), ::mlir::Value(), ::mlir::Value());
  }]>];
  let hasVerifier = 1;
}

def Sm_DeliverOp : Sm_Op<"deliver", [MemoryEffects<[MemWrite]>]> {
  let summary = "The finished sums of a tile go to the result, rounded to its type";
  let description = [{
    What lies outside the map is not written. Sums of single warps go through plain maps, straight from registers to
    memory, in pairs of columns where the maps' vector is 2 or more; sums of warpgroups through tensor maps.
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator, Sm_MapsType:$target, Index:$map, Variadic<Index>:$coordinates);
  let assemblyFormat = [{
    $accumulator `to` $target `[` $map `]` `[` $coordinates `]` attr-dict `:` type($accumulator) `to` type($target)
  }];
  let hasVerifier = 1;
}

def Sm_DeliverPartsOp : Sm_Op<"deliver_parts", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "The finished sums of a tile of several types go to the result, rounded to its type";
  let description = [{
    Part p of the sums, as high as the boxes of the maps, goes to map p at coordinates 4p to 4p + 3. What lies
    outside the map is not written.

    ```mlir
    sm.deliver_parts %sum to %y[%map0, %map1] [%column, %group, %line0, %row0, %column, %group, %line1, %row1]
        : !sm.accumulator<128 x 192> to !sm.maps<2 x 64 x 192 x bf16, row_dimension 3>
    ```
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator, Sm_MapsType:$target, Variadic<Index>:$maps,
                       Variadic<Index>:$coordinates);
  let assemblyFormat = [{
    $accumulator `to` $target `[` $maps `]` `[` $coordinates `]` attr-dict `:` type($accumulator) `to` type($target)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getParts() { return static_cast<int64_t>(getMaps().size()); }
  }];
}

//===--------------------------------------------------------------------------------------------===//
// Between roles: first as values through a channel, then in the slots of a ring
//===--------------------------------------------------------------------------------------------===//

def Sm_ChannelOp : Sm_Op<"channel", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "What the role that loads passes to the role that multiplies";
  let results = (outs Sm_ChannelType:$channel);
  let assemblyFormat = "attr-dict `:` type($channel)";
}

def Sm_PutOp : Sm_Op<"put", [Sm_RunsInOneThread, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Pass blocks on";
  let arguments = (ins Sm_ChannelType:$channel, Variadic<Sm_BlockType>:$blocks);
  let assemblyFormat = "$channel `,` $blocks attr-dict `:` type($channel) `,` type($blocks)";
  let hasVerifier = 1;
}

def Sm_TakeOp : Sm_Op<"take", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "The next blocks, in the order in which they were put in";
  let arguments = (ins Sm_ChannelType:$channel);
  let results = (outs Variadic<Sm_BlockType>:$blocks);
  let assemblyFormat = "$channel attr-dict `:` type($channel) `->` type($blocks)";
  let hasVerifier = 1;
}

def Sm_SkipOp : Sm_Op<"skip", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Leave the next blocks to others of the role";
  let description = [{ As many takes are passed over as `count` says. }];
  let arguments = (ins Sm_ChannelType:$channel, Index:$count);
  let assemblyFormat = "$channel `,` $count attr-dict `:` type($channel)";
}

def Sm_AwaitTurnOp : Sm_Op<"await_turn", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until it is this part's turn to take";
  let description = [{
    The warpgroups of a role that take turns are parts 0, 1, ... of it. Part 0 begins; `parity` says how often the
    turn has come to this part before, 0 or 1, and for part 0 the other way round, since nobody gives it its first.
    The turn means that everything before it has arrived: a wait for a slot knows the parity of its phase, not the
    phase, and would take the one before the last for it.
  }];
  let arguments = (ins Index:$turn, I32:$parity);
  let assemblyFormat = "$turn `parity` $parity attr-dict";
}

def Sm_PassTurnOp : Sm_Op<"pass_turn", [MemoryEffects<[MemWrite]>]> {
  let summary = "This part has taken all that it takes of its tile: the next part may take";
  let arguments = (ins Index:$turn);
  let assemblyFormat = "`to` $turn attr-dict";
}

def Sm_RingOp : Sm_Op<"ring", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "Slots that are filled and emptied in turn";
  let description = [{
    The role that loads acquires a slot, loads into it and publishes it; the role that multiplies awaits it,
    multiplies from it and releases it. Both go through the slots in the same order. How often a role has been
    through all of them shows in a parity, 0 or 1, that it carries along with the slot.
  }];
  let results = (outs Sm_RingType:$ring);
  let assemblyFormat = "attr-dict `:` type($ring)";
}

class Sm_RingStep<string opMnemonic, list<Trait> traits = []>
    : Sm_Op<opMnemonic, !listconcat(traits, [MemoryEffects<[MemRead, MemWrite]>])> {
  let arguments = (ins Sm_RingType:$ring, Index:$slot);
  let assemblyFormat = "$ring `[` $slot `]` attr-dict `:` type($ring)";
}

class Sm_RingWait<string opMnemonic, list<Trait> traits = []>
    : Sm_Op<opMnemonic, !listconcat(traits, [MemoryEffects<[MemRead, MemWrite]>])> {
  let arguments = (ins Sm_RingType:$ring, Index:$slot, I32:$parity);
  let assemblyFormat = "$ring `[` $slot `]` `parity` $parity attr-dict `:` type($ring)";
}

def Sm_AcquireOp : Sm_RingWait<"acquire", [Sm_RunsInOneThread]> {
  let summary = "Wait until a slot has been released";
  let description = [{
    The first time through the ring nobody has released anything, and nothing is waited for.
  }];
}
def Sm_PublishOp : Sm_RingStep<"publish", [Sm_RunsInOneThread]> {
  let summary = "The loads into a slot have been issued";
}
def Sm_AwaitOp : Sm_RingWait<"await"> {
  let summary = "Wait until the loads into a slot have arrived";
}
def Sm_ReleaseOp : Sm_RingStep<"release"> {
  let summary = "The products from a slot have been issued; once they are done the slot is free";
}
def Sm_GiveBackOp : Sm_RingStep<"give_back"> {
  let summary = "The products from a slot are done, all of them: the slot is free";
}

//===--------------------------------------------------------------------------------------------===//
// Shared memory and barriers
//===--------------------------------------------------------------------------------------------===//

def Sm_AllocateOp : Sm_Op<"allocate", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "Shared memory for a ring of blocks";
  let description = [{ Every slot begins at a multiple of 1024 bytes, the period of the widest swizzle. }];
  let results = (outs Sm_BufferType:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Sm_BarriersOp : Sm_Op<"barriers", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "Shared memory for a ring of mbarriers, each completed by a number of arrivals";
  let arguments = (ins I64Attr:$arrivals);
  let results = (outs Sm_BarriersType:$barriers);
  let assemblyFormat = "`arrivals` $arrivals attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def Sm_InitializeOp : Sm_Op<"initialize", [HasParent<"KernelOp">, MemoryEffects<[MemWrite]>]> {
  let summary = "Initialise barriers, make that visible to the asynchronous engines, and let all threads of the block see it";
  let description = [{
    One thread initialises, then fence.mbarrier_init, then the block's threads meet at barrier 0. With `cluster` the
    threads of all blocks of the cluster meet at its barrier instead, since the others signal these barriers, too.
  }];
  let arguments = (ins Variadic<Sm_BarriersType>:$barriers, UnitAttr:$cluster);
  let assemblyFormat = "$barriers (`cluster` $cluster^)? attr-dict `:` type($barriers)";
}

def Sm_ExpectOp : Sm_Op<"expect", [Sm_RunsInOneThread, MemoryEffects<[MemWrite]>]> {
  let summary = "Arrive at a barrier and announce how many bytes will be loaded before it completes";
  let description = [{
    `bytes` of them are always loaded. With `plus`, so many more are: those of loads that depend on a condition.
  }];
  let arguments = (ins Sm_BarriersType:$barriers, Index:$slot, I64Attr:$bytes, Optional<Index>:$more);
  let assemblyFormat = "$barriers `[` $slot `]` `bytes` $bytes (`plus` $more^)? attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def Sm_WaitOp : Sm_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until the phase of a barrier with the given parity has completed";
  let arguments = (ins Sm_BarriersType:$barriers, Index:$slot, I32:$parity);
  let assemblyFormat = "$barriers `[` $slot `]` `parity` $parity attr-dict `:` type($barriers)";
}

def Sm_ArriveOp : Sm_Op<"arrive", [MemoryEffects<[MemWrite]>]> {
  let summary = "One arrival from each warp";
  let description = [{
    The first lane of every warp arrives: tensor-core instructions complete warp by warp, and a warp whose lanes
    have all waited for its own says so for itself.

    With `at %mask`, every warp arrives at the barrier in its place in each block of the cluster whose bit is set:
    lane l at that of block l. What that says is that the products have read the slot; it publishes no writes to
    other blocks.
  }];
  let arguments = (ins Sm_BarriersType:$barriers, Index:$slot, Optional<Index>:$mask);
  let assemblyFormat = "$barriers `[` $slot `]` (`at` $mask^)? attr-dict `:` type($barriers)";
}

def Sm_ClusterSyncOp : Sm_Op<"cluster_sync", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "All threads of all blocks of the cluster meet";
  let description = [{
    At the end of each role: no block may exit while others still copy into its shared memory or arrive at its
    barriers.
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Sm_SyncOp : Sm_Op<"sync", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "The threads of each warpgroup meet at its named barrier";
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
  let summary = "Copy a block into a slot, asynchronously; a barrier counts its bytes";
  let description = [{
    One tensor-map copy for each panel of the slot, the column coordinate advancing by the panel's width. What
    lies outside the map arrives as zeros and counts as bytes. Until barriers are inserted, no barrier is
    signalled.

    With `row`, the block is a part of the slot, as many rows of it as the maps' boxes have, from that row on.
    With `where`, nothing is loaded and no bytes arrive unless the condition holds.

    ```mlir
    sm.load %x[%map][%column, %group, %line, %row] to %a[%slot] signal %full[%slot] : !sm.maps<...> to !sm.buffer<...>, !sm.barriers<5>
    sm.load %x[%map][%column, %group, %line, %row] to %a[%slot] row 64 where %wanted : !sm.maps<2 x 64 x 64 x bf16, ...> to !sm.buffer<5 x 128 x 64 x bf16, ...>
    ```

    A part of the block (see `sm.fetch`) goes to its rows of the slot in the shared memory of every block of the
    mask, and signals the barrier in the same place of each. Every block gets the bytes of its whole slot.
  }];
  let arguments = (ins Sm_MapsType:$source, Index:$map, Variadic<Index>:$coordinates, Sm_BufferType:$target, Index:$slot,
                       Optional<Index>:$part, OptionalAttr<I64Attr>:$parts, Optional<Index>:$mask,
                       Optional<Sm_BarriersType>:$barriers, Optional<Index>:$barrier_slot,
                       OptionalAttr<I64Attr>:$row, Optional<I1>:$condition);
  let assemblyFormat = [{
    $source `[` $map `]` `[` $coordinates `]` `to` $target `[` $slot `]` (`part` $part^ `of` $parts)?
    (`multicast` $mask^)? (`row` $row^)? (`where` $condition^)? (`signal` $barriers^ `[` $barrier_slot `]`)? attr-dict
    `:` type($source) `to` type($target) (`,` type($barriers)^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$map, "::mlir::ValueRange":$coordinates,
                                 "::mlir::Value":$target, "::mlir::Value":$slot, "::mlir::Value":$barriers,
                                 "::mlir::Value":$barrier_slot), [{
    build($_builder, $_state, source, map, coordinates, target, slot, ::mlir::Value(), ::mlir::IntegerAttr(),
          ::mlir::Value(), barriers, barrier_slot, ::mlir::IntegerAttr(), ::mlir::Value());
  }]>];
  let extraClassDeclaration = [{
    /// That arrive where the load is made: of all parts, where other blocks load the others.
    int64_t getBytes() {
      MapsType maps = getSource().getType();
      return static_cast<int64_t>(getParts().value_or(1)) * maps.getRows() * maps.getColumns() * maps.getElementType().getIntOrFloatBitWidth() / 8;
    }
  }];
  let hasVerifier = 1;
}

def Sm_StoreOp : Sm_Op<"store", [Sm_RunsInOneThread, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Copy a slot to the result, asynchronously; what lies outside the map is not written";
  let arguments = (ins Sm_BufferType:$source, Index:$slot, Sm_MapsType:$target, Index:$map, Variadic<Index>:$coordinates);
  let assemblyFormat = [{
    $source `[` $slot `]` `to` $target `[` $map `]` `[` $coordinates `]` attr-dict `:` type($source) `to` type($target)
  }];
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
  let summary = "Copy a block into a slot, asynchronously, all threads of the block together";
  let description = [{
    Each thread moves vectors of the map's `vector` elements, of 2 to 16 bytes, into their places in the slot's
    swizzled panels. What lies outside the map arrives as zeros and is not read. A vector never crosses the map's
    edge: the vector divides its widths, and the first column must be a multiple of it.

    Vectors of 4, 8 and 16 bytes are cp.async, and belong to the group that the next `sm.copy_commit` closes. There
    is none for 2 bytes: such elements go through registers and have arrived when the op is done. Either way, other
    threads may count on them behind `sm.copy_wait` and `sm.block_sync` only.

    ```mlir
    sm.copy %x[%map][%column, %group, %line, %row] to %a[%slot]
        : !sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 8> to !sm.buffer<4 x 64 x 32 x bf16, swizzle 64>
    ```
  }];
  let arguments = (ins Sm_MapsType:$source, Index:$map, Variadic<Index>:$coordinates, Sm_BufferType:$target, Index:$slot);
  let assemblyFormat = [{
    $source `[` $map `]` `[` $coordinates `]` `to` $target `[` $slot `]` attr-dict `:` type($source) `to` type($target)
  }];
  let hasVerifier = 1;
}

def Sm_CopyCommitOp : Sm_Op<"copy_commit", [Sm_RunsInAllThreads, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Close the group of copies that this thread has issued since the last one";
  let description = [{ A group may be empty; it counts all the same. }];
  let assemblyFormat = "attr-dict";
}

def Sm_CopyWaitOp : Sm_Op<"copy_wait", [Sm_RunsInAllThreads, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until at most `pending` of this thread's latest groups of copies have not arrived";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}

def Sm_BlockSyncOp : Sm_Op<"block_sync", [Sm_RunsInAllThreads, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "All threads of the block meet, and see what the others have written to shared memory";
  let assemblyFormat = "attr-dict";
}

//===--------------------------------------------------------------------------------------------===//
// Products
//===--------------------------------------------------------------------------------------------===//

def Sm_ZeroOp : Sm_Op<"zero", [Pure]> {
  let summary = "Sums of nothing";
  let results = (outs Sm_AccumulatorType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Sm_MmaFenceOp : Sm_Op<"mma_fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Order register accesses before the products that follow (wgmma.fence)";
  let assemblyFormat = "attr-dict";
}

def Sm_MmaOp : Sm_Op<"mma", [MemoryEffects<[MemRead]>, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "Add a slot of rows times a slot of the bank to the sums";
  let description = [{
    The product of the slot of A (rows x depth) and the slot of B (depth x columns) is added, with `negate`
    subtracted.

    For sums of warpgroups there is one tensor-core instruction of each warpgroup for every 16 of the depth, on its
    64 rows of A and all of B, or, where they are transposed, on its 64 columns of B and all of A. It is asynchronous: the sums are not to be touched before `sm.mma_wait` and
    `sm.settle`; more products of the same shape may be added.

    With `depth` only that much of the slots' depth is multiplied, from its beginning.

    For sums of single warps (`warps`) each warp loads the rows of A and the columns of B that its part needs into
    registers, and multiplies tile by tile. When the op is done, the sums are there and the slots have been read by
    this warp. Here the sign may be a value: where the operand of `negate_if` holds, the product is subtracted.

    ```mlir
    %next = sm.mma %a[%slot], %b[%slot], %sum negate : !sm.buffer<...>, !sm.buffer<...>, !sm.accumulator<128 x 192>
    %other = sm.mma %a[%slot], %b[%slot], %sum negate_if %minus : !sm.buffer<...>, !sm.buffer<...>, !sm.accumulator<64 x 128, warps 2 x 2>
    ```
  }];
  let arguments = (ins Sm_BufferType:$a, Index:$a_slot, Sm_BufferType:$b, Index:$b_slot, Sm_AccumulatorType:$accumulator,
                       UnitAttr:$negate, Optional<I1>:$negate_if, OptionalAttr<I64Attr>:$depth);
  let results = (outs Sm_AccumulatorType:$result);
  let assemblyFormat = [{
    $a `[` $a_slot `]` `,` $b `[` $b_slot `]` `,` $accumulator (`negate` $negate^)? (`negate_if` $negate_if^)?
    (`depth` $depth^)? attr-dict
    `:` type($a) `,` type($b) `,` type($accumulator)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$a, "::mlir::Value":$a_slot,
                                 "::mlir::Value":$b, "::mlir::Value":$b_slot, "::mlir::Value":$accumulator,
                                 "bool":$negate), [{
    build($_builder, $_state, result, a, a_slot, b, b_slot, accumulator, negate, ::mlir::Value(),
          ::mlir::IntegerAttr());
  }]>];
  let extraClassDeclaration = [{
    /// What is multiplied of the slots' depth.
    int64_t getMultipliedDepth() {
      return getDepth() ? static_cast<int64_t>(*getDepth()) : getA().getType().getColumns();
    }
  }];
  let hasVerifier = 1;
}

def Sm_AddScaledOp : Sm_Op<"add_scaled", [Pure, AllTypesMatch<["partial", "total", "result"]>]> {
  let summary = "total + coefficient * partial, element by element in f32";
  let description = [{
    For terms whose coefficients are no signs: the products of terms with one coefficient are added up, and their
    sum is scaled once.

    ```mlir
    %next = sm.add_scaled %partial, %coefficient, %total : !sm.accumulator<64 x 128, warps 2 x 2>
    ```
  }];
  let arguments = (ins Sm_AccumulatorType:$partial, F32:$coefficient, Sm_AccumulatorType:$total);
  let results = (outs Sm_AccumulatorType:$result);
  let assemblyFormat = "$partial `,` $coefficient `,` $total attr-dict `:` type($total)";
  let hasVerifier = 1;
}

def Sm_MmaCommitOp : Sm_Op<"mma_commit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Close the group of products issued so far";
  let assemblyFormat = "attr-dict";
}

def Sm_MmaWaitOp : Sm_Op<"mma_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until at most `pending` groups of products are unfinished";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}

def Sm_SettleOp : Sm_Op<"settle", [AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "The sums, now that the wait before has seen them finished";
  let description = [{
    Waiting carries no data, so nothing would keep a compiler from reading the registers before it. This op ties
    them to its place in the program. It outlives the lowering to `nvvm`, then on a struct of f32: the
    translation to LLVM makes it an empty asm with tied registers, the simulator a call that hands out the real
    values.
  }];
  let arguments = (ins AnyType:$accumulator);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$accumulator attr-dict `:` type($accumulator)";
}

def Sm_WriteOp : Sm_Op<"write", [MemoryEffects<[MemWrite]>]> {
  let summary = "Write each warpgroup's part of the sums into a slot, rounded to the buffer's type";
  let description = [{
    Warpgroup g writes slot `slot` with its own rows, or columns; the slot is chosen per warpgroup (`sm.warpgroup`).
    bf16 goes through stmatrix, which transposes where the sums are, f32 through vector stores, both in the
    buffer's swizzled layout.
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator, Sm_BufferType:$target, Index:$slot);
  let assemblyFormat = "$accumulator `to` $target `[` $slot `]` attr-dict `:` type($accumulator) `to` type($target)";
  let hasVerifier = 1;
}

#endif
