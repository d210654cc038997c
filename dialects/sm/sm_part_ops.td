// Parts of a partition that share a tile: how they meet, and how their sums come together.
#ifndef ALGCTL_SM_PART_OPS
#define ALGCTL_SM_PART_OPS

include "dialects/sm/sm_op.td"

def Sm_SyncPartsOp : Sm_Op<"sync_parts", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait at a named barrier of all parts of the partition";
  let description = [{
    The barrier completes when every warp of the partition has come to it, by this op or by `sm.arrive_parts`. What the
    warps have written and read before is ordered before what those do that have waited. A partition has barriers 0
    to 5.

    ```mlir
    sm.sync_parts 0
    ```
  }];
  let arguments = (ins I64Attr:$barrier);
  let assemblyFormat = "$barrier attr-dict";
  let hasVerifier = 1;
}

def Sm_ArrivePartsOp : Sm_Op<"arrive_parts", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Come to a named barrier of all parts of the partition, and go on";
  let description = [{
    A part must not arrive a second time before the others have come to the barrier: its arrivals would be counted for
    theirs.

    ```mlir
    sm.arrive_parts 0
    ```
  }];
  let arguments = (ins I64Attr:$barrier);
  let assemblyFormat = "$barrier attr-dict";
  let hasVerifier = 1;
}

def Sm_WritePartialOp : Sm_Op<"write_partial", [MemoryEffects<[MemWrite]>]> {
  let summary = "Leave sums for another part of the partition";
  let description = [{
    Each thread writes its sums, which the thread with its number in the other part adds to its own (`sm.add_partial`).

    ```mlir
    sm.write_partial %sums to %buffer : !sm.accumulator<64 x 80> to !sm.reduction_buffer<1 x 2 x 40>
    ```
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator, Sm_ReductionBufferType:$reduction_buffer);
  let assemblyFormat = "$accumulator `to` $reduction_buffer attr-dict `:` type($accumulator) `to` type($reduction_buffer)";
  let hasVerifier = 1;
}

def Sm_AddPartialOp : Sm_Op<"add_partial", [MemoryEffects<[MemRead]>, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "Add the sums that another part of the partition has left";
  let description = [{
    ```mlir
    %all = sm.add_partial %sums, %buffer : !sm.accumulator<64 x 80>, !sm.reduction_buffer<1 x 2 x 40>
    ```
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator, Sm_ReductionBufferType:$reduction_buffer);
  let results = (outs Sm_AccumulatorType:$result);
  let assemblyFormat = "$accumulator `,` $reduction_buffer attr-dict `:` type($accumulator) `,` type($reduction_buffer)";
  let hasVerifier = 1;
}

#endif
