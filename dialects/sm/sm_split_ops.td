// Tiles whose steps blocks of a cluster divide: what becomes of their sums.
#ifndef ALGCTL_SM_SPLIT_OPS
#define ALGCTL_SM_SPLIT_OPS

include "dialects/sm/sm_op.td"

def Sm_ReduceScatterOp : Sm_Op<"reduce_scatter", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Add up the sums of all blocks of the cluster; each block keeps one part";
  let description = [{
    Every block of the cluster has sums of the same tile over different steps. They are divided into as many equal parts
    as there are blocks: along their columns, or along their rows where they are transposed. Block r gets part r, in
    which the sums of blocks 0, 1, ... are added in this order, so that the result is the same to the bit every time.
    All blocks must execute the op equally often.

    ```mlir
    %mine = sm.reduce_scatter %sums : !sm.accumulator<128 x 192> to !sm.accumulator<128 x 48>
    ```
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator);
  let results = (outs Sm_AccumulatorType:$result);
  let assemblyFormat = "$accumulator attr-dict `:` type($accumulator) `to` type($result)";
  let extraClassDeclaration = [{
    /// Of the cluster: as many as there are parts.
    int64_t getBlocks() {
      return getAccumulator().getType().getInstructionWidth() / getResult().getType().getInstructionWidth();
    }
  }];
  let hasVerifier = 1;
}

def Sm_AllocateReductionBufferOp : Sm_Op<"allocate_reduction_buffer", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "Shared memory into which the other blocks of a cluster write their sums";
  let results = (outs Sm_ReductionBufferType:$reduction_buffer);
  let assemblyFormat = "attr-dict `:` type($reduction_buffer)";
}

def Sm_SendOp : Sm_Op<"send", [MemoryEffects<[MemWrite]>]> {
  let summary = "Write the parts of the sums that belong to other blocks into their shared memory";
  let description = [{
    Each thread of a warpgroup of block `as` of the cluster writes its sums of part t into the reduction buffer of block
    t, for every t but its own. The sums are visible to the other blocks after these have waited for arrivals that
    publish them (`sm.arrive`).

    ```mlir
    sm.send %sums to %buffer[%warpgroup] as 2 : !sm.accumulator<128 x 192> to !sm.reduction_buffer<2 x 4 x 24>
    ```
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator, Sm_ReductionBufferType:$reduction_buffer, Index:$warpgroup, I64Attr:$rank);
  let assemblyFormat = [{
    $accumulator `to` $reduction_buffer `[` $warpgroup `]` `as` $rank attr-dict `:` type($accumulator) `to` type($reduction_buffer)
  }];
  let hasVerifier = 1;
}

def Sm_AddReceivedOp : Sm_Op<"add_received", [MemoryEffects<[MemRead]>]> {
  let summary = "The part of block `as`: its own sums and those received from the other blocks, added in the order of the blocks";
  let description = [{
    Each thread reads the sums that the threads with its number in the other blocks have written.

    ```mlir
    %mine = sm.add_received %sums, %buffer[%warpgroup] as 2
        : !sm.accumulator<128 x 192>, !sm.reduction_buffer<2 x 4 x 24> to !sm.accumulator<128 x 48>
    ```
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator, Sm_ReductionBufferType:$reduction_buffer, Index:$warpgroup, I64Attr:$rank);
  let results = (outs Sm_AccumulatorType:$result);
  let assemblyFormat = [{
    $accumulator `,` $reduction_buffer `[` $warpgroup `]` `as` $rank attr-dict
    `:` type($accumulator) `,` type($reduction_buffer) `to` type($result)
  }];
  let hasVerifier = 1;
}

#endif
