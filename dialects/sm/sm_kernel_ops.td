// The kernel, its partitions, and what a thread block knows of the grid.
#ifndef ALGCTL_SM_KERNEL_OPS
#define ALGCTL_SM_KERNEL_OPS

include "dialects/sm/sm_op.td"

def Sm_KernelOp : Sm_Op<"kernel", [IsolatedFromAbove, Symbol, SymbolTable, SingleBlock, NoTerminator,
                               DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "One kernel on a persistent grid";
  let description = [{
    The arguments of the body are the maps of X, W and Y, the number of rows M and the row offset modulo
    the period of the row types (both `index`), and the terms table. Layout and schedule are those of the tile
    program that it came from.

    Where the kernel computes several products of the same rows, the maps of the further weight matrices follow, all of
    the type of W's maps. Then come operands of its `sm.map`s: numbers for each column (`!sm.columns`, as a bias is),
    plain maps of operands that have rows, as wide as the result or one column wide, and numbers (f32). Last come plain
    maps of further results.

    A kernel of two layers has the layout and the schedule of the one that writes its results, and says with `hidden_layout`
    and `hidden_schedule` what those of the other one are, whose results the kernel multiplies. X and W are operands of that
    one, Y and the last of the further weight matrices belong to the kernel's own layer.

    A kernel with a `#tile.reduced` schedule takes rows as they lie in memory: the maps of X and Y are of all rows, and behind the
    terms table come the positions and the bytes of one position (`index`), 8 or 4. Behind these, a kernel of experts takes
    where their rows begin (`!sm.expert_starts`) and how many experts there are (`index`); and where these are entries of a list, the
    list by which rows of X are found (`!sm.expert_rows`), that by which their positions are, and how many rows it may name (`index`).
    A launch may have no list of either kind: rows are in their order then.

    Of other kernels those of experts take their number (`index`) behind the terms table, and find rows by the row list that
    their maps of X and Y have: of each expert, one after another, the rows of each type.

    In mode j the maps are those of X, dY and dW, and a seventh argument is beta (f32), which multiplies the old values
    of dW. Where the maps are tensor maps, an eighth argument is a plain map of dW, through which threads add to the old
    values.

    ```mlir
    sm.kernel @forward(%x: !sm.maps<...>, %w: !sm.maps<...>, %y: !sm.maps<...>, %rows: index, %offset: index,
                       %terms: !sm.terms_table) attributes {layout = #tile.layout<...>, schedule = ...} { ... }
    ```

    All threads of the block run the ops outside of partitions. In a kernel with partitions these are only allocations.
    A kernel without partitions has 32 threads for each of the `warps` of its `#tile.staged` schedule, or the threads of
    all slices of its `#tile.reduced` schedule.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, AnyAttr:$layout, AnyAttr:$schedule, OptionalAttr<AnyAttr>:$hidden_layout,
                       OptionalAttr<AnyAttr>:$hidden_schedule);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::Attribute":$layout, "::mlir::Attribute":$schedule), [{
    build($_builder, $_state, $_builder.getStringAttr(name), layout, schedule, ::mlir::Attribute(), ::mlir::Attribute());
  }]>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Sm_PartitionOp : Sm_Op<"partition", [HasParent<"KernelOp">, Symbol, SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "The program of some warpgroups of the block";
  let description = [{
    Warpgroups are assigned in the order of the partitions in the kernel. The partition's threads run the body with
    `registers` registers each (a multiple of 8; setmaxnreg on entry), the other threads go on to the next partition.
    All partitions together have at most the registers that the block's threads start with.

    With `turns`, the warpgroups are divided into so many equal parts, which consume in turn: each has tiles of its own
    (`sm.await_turn`), or in kernels of two layers some of the columns of hidden groups, and the sums of all parts come
    together (`sm.write_partial`).

    ```mlir
    sm.partition @multiply warpgroups 2 registers 232 { ... }
    sm.partition @load warpgroups 1 registers 40 { ... }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$warpgroups, I64Attr:$registers, OptionalAttr<I64Attr>:$turns);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `warpgroups` $warpgroups `registers` $registers (`turns` $turns^)? $body attr-dict
  }];
  let extraClassDeclaration = [{
    int64_t getThreads();
    /// Warpgroups that consume together: all, or where parts take turns those of one.
    int64_t getWarpgroupsOfTurn();
  }];
  let hasVerifier = 1;
}

def Sm_ElectOp : Sm_Op<"elect", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "Runs its body in one thread of each warpgroup of the partition";
  let description = [{
    It is always the same thread, one of the warpgroup's first warp, so that this thread can wait for the operations
    that it has issued.
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

def Sm_ThreadIndexOp : Sm_Op<"thread_index", [Pure]> {
  let summary = "Index of this thread in its block";
  let results = (outs Index:$index);
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
  let summary = "Index of this warpgroup among those of its partition";
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

def Sm_ReadRowListOp : Sm_Op<"read_row_list", [MemoryEffects<[MemRead]>]> {
  let summary = "One word of the row list of some maps";
  let description = [{
    Word 0 is the largest number of rows of any type. The words from 1 on are the positions where the rows of each type
    begin, and where the rows of the last type end: `runtime/gpu_kernel_abi.h`.
  }];
  let arguments = (ins Sm_MapsType:$maps, Index:$position);
  let results = (outs I32:$word);
  let assemblyFormat = "$maps `[` $position `]` attr-dict `:` type($maps)";
  let hasVerifier = 1;
}

#endif
