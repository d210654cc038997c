// Between partitions: first values that pass through a pipe, then the stages of it.
#ifndef ALGCTL_SM_PIPE_OPS
#define ALGCTL_SM_PIPE_OPS

include "dialects/sm/sm_op.td"

def Sm_PipeOp : Sm_Op<"pipe", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "What one partition passes to others, as values";
  let description = [{
    A kernel has any number of pipes. One partition produces into a pipe; one or more partitions consume from it, each
    of them all blocks. The number of stages is given here, or else by the schedule; otherwise it is as many as fit
    shared memory.

    ```mlir
    %operands = sm.pipe : <!sm.block<128 x 64 x bf16, swizzle 128>, !sm.block<64 x 192 x bf16, swizzle 128>>
    %results = sm.pipe stages 2 : <!sm.block<128 x 192 x bf16, swizzle 128>>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$stages);
  let results = (outs Sm_PipeType:$pipe);
  let assemblyFormat = "(`stages` $stages^)? attr-dict `:` type($pipe)";
  let hasVerifier = 1;
}

def Sm_ProduceOp : Sm_Op<"produce", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Pass blocks into a pipe";
  let description = [{
    Blocks that the copy engine loads are produced by one thread, in an `sm.elect`; blocks of sums are produced by all
    threads of the partition.
  }];
  let arguments = (ins Sm_PipeType:$pipe, Variadic<Sm_BlockType>:$blocks);
  let assemblyFormat = "$pipe `,` $blocks attr-dict `:` type($pipe) `,` type($blocks)";
  let hasVerifier = 1;
}

def Sm_ConsumeOp : Sm_Op<"consume", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "The next blocks, in the order in which they were produced";
  let arguments = (ins Sm_PipeType:$pipe);
  let results = (outs Variadic<Sm_BlockType>:$blocks);
  let assemblyFormat = "$pipe attr-dict `:` type($pipe) `->` type($blocks)";
  let hasVerifier = 1;
}

def Sm_SkipOp : Sm_Op<"skip", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Leave the next blocks to other warpgroups of the partition";
  let description = [{ The blocks of the next `count` consumes are skipped. }];
  let arguments = (ins Sm_PipeType:$pipe, Index:$count);
  let assemblyFormat = "$pipe `,` $count attr-dict `:` type($pipe)";
}

def Sm_AwaitTurnOp : Sm_Op<"await_turn", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until it is this part's turn to consume";
  let description = [{
    The warpgroups of a partition with `turns` are parts 0, 1, ... of it. Part 0 begins. `parity` is the number of
    earlier turns of this part modulo 2, and for part 0 the opposite, since no other part passes it its first turn. A
    turn guarantees that all earlier blocks have arrived. This is needed because a wait for a stage sees only the parity
    of the stage's phase, and could not tell the phase from the one two passes earlier.
  }];
  let arguments = (ins Index:$turn, I32:$parity);
  let assemblyFormat = "$turn `parity` $parity attr-dict";
}

def Sm_PassTurnOp : Sm_Op<"pass_turn", [MemoryEffects<[MemWrite]>]> {
  let summary = "This part has consumed all blocks of its tile: the next part may consume";
  let description = [{
    `unread`: the tile has no blocks. What consumes blocks holds the lanes of a warp together; here they meet before one of
    them passes the turn, since others would else miss it, when it comes back at once.
  }];
  let arguments = (ins Index:$turn, UnitAttr:$unread);
  let assemblyFormat = "`to` $turn (`unread` $unread^)? attr-dict";
}

def Sm_StagedPipeOp : Sm_Op<"staged_pipe", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "A pipe whose blocks lie in stages of shared memory";
  let description = [{
    The partition that produces acquires a stage, fills it and commits it; the partitions that consume wait for it, use
    it and release it. All go through the stages in the same order. Each partition carries, with the stage, the number
    of its passes through all stages modulo 2 as a parity.

    `in_turn`: parts of the consuming partitions take turns at the stages, and each stage is released by one part alone.
  }];
  let arguments = (ins UnitAttr:$in_turn);
  let results = (outs Sm_StagedPipeType:$pipe);
  let assemblyFormat = "(`in_turn` $in_turn^)? attr-dict `:` type($pipe)";
}

class Sm_PipeStep<string opMnemonic> : Sm_Op<opMnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins Sm_StagedPipeType:$pipe, Index:$stage);
  let assemblyFormat = "$pipe `[` $stage `]` attr-dict `:` type($pipe)";
}

class Sm_PipeWait<string opMnemonic> : Sm_Op<opMnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins Sm_StagedPipeType:$pipe, Index:$stage, I32:$parity);
  let assemblyFormat = "$pipe `[` $stage `]` `parity` $parity attr-dict `:` type($pipe)";
}

def Sm_ProducerAcquireOp : Sm_PipeWait<"producer_acquire"> {
  let summary = "Wait until all consuming partitions have released a stage";
  let description = [{
    In the first pass through the stages no stage has been used, and the op does not wait.
  }];
}

def Sm_ProducerCommitOp : Sm_PipeStep<"producer_commit"> {
  let summary = "The stage is filled, or the loads that fill it have been issued";
}

def Sm_ConsumerWaitOp : Sm_PipeWait<"consumer_wait"> {
  let summary = "Wait until a stage has been filled";
}

def Sm_ConsumerReleaseOp : Sm_Op<"consumer_release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "This partition is done with a stage";
  let description = [{
    With `after_products` the release takes effect as soon as the products that were issued before it are complete.
    `unread`: the stage has been waited for, and nothing was read of it. What reads a stage holds the lanes of a warp together; here
    they meet before one of them arrives, since others would else miss the phase that they wait for.
  }];
  let arguments = (ins Sm_StagedPipeType:$pipe, Index:$stage, UnitAttr:$after_products, UnitAttr:$unread);
  let assemblyFormat = "$pipe `[` $stage `]` (`after_products` $after_products^)? (`unread` $unread^)? attr-dict `:` type($pipe)";
}

#endif
