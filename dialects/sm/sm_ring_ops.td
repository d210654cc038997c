// Between roles: first as values through a channel, then in the slots of a ring.
#ifndef ALGCTL_SM_RING_OPS
#define ALGCTL_SM_RING_OPS

include "dialects/sm/sm_op.td"

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

#endif
