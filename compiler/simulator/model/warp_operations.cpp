// Special registers, elections, shuffles, votes, and the register file.
#include "compiler/simulator/model/multiprocessor.h"

#include "compiler/simulator/model/calls.h"

#include <fmt/format.h>

#include <bit>

namespace simulator {
namespace {

struct ShuffleArguments {
  int32_t kind, value, offset, control, result;
  bool in_range;
};

// PTX's pseudo code of shfl.sync.
void shuffle(Warp &warp, uint32_t mask) {
  for (int32_t lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    auto &mine = *static_cast<ShuffleArguments *>(warp.arguments[lane]);
    const int32_t segment = mine.control >> 8 & 31, clamp = mine.control & 31, offset = mine.offset & 31;
    const int32_t highest = (lane & segment) | (clamp & ~segment), lowest = lane & segment;
    int32_t from = 0;
    switch (mine.kind) {
    case sm_shuffle_up:
      from = lane - offset, mine.in_range = from >= highest;
      break;
    case sm_shuffle_down:
      from = lane + offset, mine.in_range = from <= highest;
      break;
    case sm_shuffle_bfly:
      from = lane ^ offset, mine.in_range = from <= highest;
      break;
    default:
      from = lowest | (offset & ~segment), mine.in_range = from <= highest;
      break;
    }
    if (!mine.in_range)
      from = lane;
    // A source outside the mask is undefined: a pattern that does not look like data.
    mine.result =
        mask >> from & 1 ? static_cast<ShuffleArguments *>(warp.arguments[from])->value : int32_t(0x7fb1dead);
  }
}

struct VoteArguments {
  int32_t kind;
  bool predicate;
};

int32_t vote(const Warp &warp, uint32_t mask, int32_t kind) {
  uint32_t ballot = 0;
  for (int32_t lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) && static_cast<const VoteArguments *>(warp.arguments[lane])->predicate)
      ballot |= 1u << lane;
  switch (kind) {
  case sm_vote_any:
    return ballot != 0;
  case sm_vote_all:
    return ballot == mask;
  case sm_vote_uniform:
    return ballot == 0 || ballot == mask;
  default:
    return int32_t(ballot);
  }
}

// Between two setmaxnreg the warps of a warpgroup synchronise.
void checkWarpgroupBefore(Multiprocessor &model, const Warp &warp) {
  const Warp *first = &warp - warp.in_block % 4;
  for (const Warp *other = first; other < first + 4 && other->block == warp.block; ++other) {
    const size_t lane = size_t(other->threads[0].index);
    if (other->register_changes < warp.register_changes ||
        (other->register_changes == warp.register_changes && warp.register_changes > 0 && other != &warp &&
         model.self().clock[lane] < other->register_change_time))
      model.fault(
          FaultKind::Registers,
          fmt::format("setmaxnreg again, and nothing orders it after that of warp {} of the warpgroup",
                      other->in_block));
  }
}

// The registers of a block are a pool: what one warp releases another may take.
void setRegisters(Multiprocessor &model, Warp &warp, int32_t registers, bool increase) {
  if (model.launch.registers == 0)
    model.fault(FaultKind::Registers,
                "setmaxnreg in a kernel without a register cap at entry, where it has no effect");
  if (registers < 24 || registers > 256 || registers % 8 != 0)
    model.fault(FaultKind::Registers,
                fmt::format("setmaxnreg {}: a multiple of 8 from 24 to 256", registers));
  if (increase ? registers < warp.registers : registers > warp.registers)
    model.fault(FaultKind::Registers, fmt::format("setmaxnreg.{} to {} from {} registers",
                                                  increase ? "inc" : "dec", registers, warp.registers));
  checkWarpgroupBefore(model, warp);
  Block &block = *warp.block;
  const int32_t wanted = (registers - warp.registers) * 32;
  while (block.free_registers < wanted) {
    block.register_waiters.push_back(&model.self());
    model.suspend({Wait::Registers, nullptr, registers});
  }
  block.free_registers -= wanted;
  warp.registers = registers;
  ++warp.register_changes;
  warp.register_change_time = warp.threads[0].time;
  if (!increase) {
    for (Thread *waiter : block.register_waiters)
      model.wake(*waiter);
    block.register_waiters.clear();
  }
}

} // namespace
} // namespace simulator

using namespace simulator;

extern "C" {

int32_t sm_special_register(int32_t site, int32_t which) {
  return enter(site, [&](Multiprocessor &model) -> int32_t {
    const Thread &thread = model.self();
    const Launch &launch = model.launch;
    switch (which) {
    case sm_tid_x:
      return thread.in_block;
    case sm_ntid_x:
      return launch.threads;
    case sm_ctaid_x:
      return int32_t(thread.block->number);
    case sm_nctaid_x:
      return int32_t(launch.grid);
    case sm_laneid:
      return thread.lane;
    case sm_warpid:
      return thread.warp->in_block;
    case sm_nwarpid:
      return launch.threads / 32;
    case sm_warpsize:
      return 32;
    case sm_clusterid_x:
      return int32_t(thread.block->number / launch.cluster);
    case sm_nclusterid_x:
      return int32_t(launch.grid / launch.cluster);
    case sm_cluster_ctaid_x:
    case sm_cluster_ctarank:
      return thread.block->rank;
    case sm_cluster_nctaid_x:
    case sm_cluster_nctarank:
      return launch.cluster;
    case sm_dynamic_smem_size:
      return int32_t(launch.shared_bytes);
    case sm_tid_y:
    case sm_tid_z:
    case sm_ctaid_y:
    case sm_ctaid_z:
    case sm_clusterid_y:
    case sm_clusterid_z:
    case sm_cluster_ctaid_y:
    case sm_cluster_ctaid_z:
      return 0;
    case sm_ntid_y:
    case sm_ntid_z:
    case sm_nctaid_y:
    case sm_nctaid_z:
    case sm_nclusterid_y:
    case sm_nclusterid_z:
    case sm_cluster_nctaid_y:
    case sm_cluster_nctaid_z:
      return 1;
    default:
      model.fault(FaultKind::BadCall, fmt::format("special register {}", which));
    }
  });
}

void *sm_shared_base(int32_t site) {
  return enter(site, [](Multiprocessor &model) -> void * { return model.self().block->slot + shared_start; });
}

void *sm_mapa(int32_t site, const void *address, int32_t rank) {
  return enter(site, [&](Multiprocessor &model) -> void * {
    if (!model.inSharedWindow(address))
      model.fault(FaultKind::OutOfBounds, "mapa of an address that is not shared memory");
    if (rank < 0 || rank >= model.launch.cluster)
      model.fault(FaultKind::OutOfBounds,
                  fmt::format("mapa to block {} of a cluster of {}", rank, model.launch.cluster));
    const int64_t offset = int64_t(reinterpret_cast<uintptr_t>(address) % uint64_t(slot_bytes));
    return model.blocks[size_t(rank)]->slot + offset;
  });
}

int32_t sm_elect(int32_t site, int32_t mask) {
  return enter(site, [&](Multiprocessor &model) -> int32_t {
    model.meet(uint32_t(mask), nullptr, [](Warp &) {});
    return model.self().lane == std::countr_zero(uint32_t(mask));
  });
}

int32_t sm_shuffle(int32_t site, int32_t kind, int32_t mask, int32_t value, int32_t offset,
                   int32_t mask_and_clamp, int32_t *in_range) {
  return enter(site, [&](Multiprocessor &model) {
    if (kind < sm_shuffle_idx || kind > sm_shuffle_down)
      model.fault(FaultKind::BadCall, fmt::format("a shuffle of kind {}", kind));
    ShuffleArguments arguments{kind, value, offset, mask_and_clamp, 0, false};
    model.meet(uint32_t(mask), &arguments, [&](Warp &warp) { shuffle(warp, uint32_t(mask)); });
    if (in_range)
      *in_range = arguments.in_range;
    return arguments.result;
  });
}

int32_t sm_vote(int32_t site, int32_t kind, int32_t mask, int32_t predicate) {
  return enter(site, [&](Multiprocessor &model) {
    if (kind < sm_vote_any || kind > sm_vote_ballot)
      model.fault(FaultKind::BadCall, fmt::format("a vote of kind {}", kind));
    struct Ballot : VoteArguments {
      int32_t result;
    } ballot{{kind, predicate != 0}, 0};
    model.meet(uint32_t(mask), static_cast<VoteArguments *>(&ballot), [&](Warp &warp) {
      const int32_t result = vote(warp, uint32_t(mask), kind);
      for (int32_t lane = 0; lane < 32; ++lane)
        if (uint32_t(mask) >> lane & 1)
          static_cast<Ballot *>(static_cast<VoteArguments *>(warp.arguments[lane]))->result = result;
    });
    return ballot.result;
  });
}

void sm_setmaxnreg(int32_t site, int32_t registers, int32_t increase) {
  enter(site, [&](Multiprocessor &model) {
    model.meet(all_lanes, nullptr, [&](Warp &warp) { setRegisters(model, warp, registers, increase != 0); });
  });
}

void sm_nanosleep(int32_t site) {
  enter(site, [](Multiprocessor &model) {
    model.notePoll();
    model.self().fiber.leave();
  });
}

void sm_trap(int32_t site) {
  enter(site, [](Multiprocessor &model) { model.fault(FaultKind::Trap, "the kernel trapped"); });
}

void sm_undefined(int32_t site, int32_t what) {
  enter(site, [&](Multiprocessor &model) {
    switch (what) {
    case sm_undefined_division:
      model.fault(FaultKind::Undefined, "a division by zero, or one whose quotient does not fit");
    case sm_undefined_shift:
      model.fault(FaultKind::Undefined, "a shift by as many bits as there are, or more");
    case sm_undefined_element:
      model.fault(FaultKind::Undefined, "an index beyond the elements of a vector");
    case sm_undefined_unreachable:
      model.fault(FaultKind::Undefined, "a place that is said to be unreachable");
    }
    model.fault(FaultKind::BadCall, fmt::format("{} is no undefined value", what));
  });
}

void sm_loop(int32_t site) {
  enter(site, [](Multiprocessor &model) { model.noteRound(); });
}

} // extern "C"
