// Between partitions: first values that pass through a pipe, then the stages of it.
#ifndef ALGCTL_SM_PIPE_OPS
#define ALGCTL_SM_PIPE_OPS

include "dialects/sm/sm_op.td"

def Sm_PipeOp : Sm_Op<"pipe", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "What one partition passes to others, as values";
  let description = [{
    A kernel has any number of pipes. One partition produces into a pipe, one or more consume from it, each of them
    everything that passes. How many stages it has is said here, or else by the schedule, or it is as many as fit
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
  let summary = "Pass blocks on";
  let description = [{
    Blocks that the copy engine brings are produced by one thread, in an `sm.elect`, blocks of sums by all threads
    of the partition.
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
  let description = [{ What the next `count` consumes would get is passed over. }];
  let arguments = (ins Sm_PipeType:$pipe, Index:$count);
  let assemblyFormat = "$pipe `,` $count attr-dict `:` type($pipe)";
}

def Sm_AwaitTurnOp : Sm_Op<"await_turn", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until it is this part's turn to consume";
  let description = [{
    The warpgroups of a partition with `turns` are parts 0, 1, ... of it. Part 0 begins; `parity` says how often the
    turn has come to this part before, 0 or 1, and for part 0 the other way round, since nobody gives it its first.
    The turn means that everything before it has arrived: a wait for a stage knows the parity of its phase, not the
    phase, and would take the one before the last for it.
  }];
  let arguments = (ins Index:$turn, I32:$parity);
  let assemblyFormat = "$turn `parity` $parity attr-dict";
}

def Sm_PassTurnOp : Sm_Op<"pass_turn", [MemoryEffects<[MemWrite]>]> {
  let summary = "This part has consumed all that it does of its tile: the next part may consume";
  let arguments = (ins Index:$turn);
  let assemblyFormat = "`to` $turn attr-dict";
}

def Sm_StagedPipeOp : Sm_Op<"staged_pipe", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "A pipe whose blocks lie in stages of shared memory";
  let description = [{
    The partition that produces acquires a stage, fills it and commits it; those that consume wait for it, use it and
    release it. All go through the stages in the same order. How often a partition has been through all of them shows
    in a parity, 0 or 1, that it carries along with the stage.
  }];
  let results = (outs Sm_StagedPipeType:$pipe);
  let assemblyFormat = "attr-dict `:` type($pipe)";
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
  let summary = "Wait until all that consume have released a stage";
  let description = [{
    The first time through the stages nobody has released anything, and nothing is waited for.
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
    With `after_products` it is as soon as the products are done that have been issued before.
  }];
  let arguments = (ins Sm_StagedPipeType:$pipe, Index:$stage, UnitAttr:$after_products);
  let assemblyFormat = "$pipe `[` $stage `]` (`after_products` $after_products^)? attr-dict `:` type($pipe)";
}

#endif
