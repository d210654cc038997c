// What the model keeps of a running cluster: blocks, warps, threads, and the barriers and accumulators they
// use.
#pragma once

#include "compiler/simulator/model/access_history.h"
#include "compiler/simulator/model/clock.h"
#include "compiler/simulator/model/fiber.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace simulator {

struct Block;
struct Warp;
struct Mbarrier;

// What a suspended thread waits for: the material of a deadlock's report.
struct Wait {
  enum Kind {
    Nothing,
    Meeting,
    NamedBarrier,
    ClusterBarrier,
    MbarrierPhase,
    Wgmma,
    BulkGroups,
    AsyncGroups,
    Registers
  };
  Kind kind = Nothing;
  const void *object = nullptr; // the Mbarrier of MbarrierPhase
  int64_t detail = 0;           // barrier number, parity, count
};

// Bulk stores of one thread. Agent `agent` counts groups whose sources have been read.
struct BulkGroups {
  int32_t agent = -1;
  int32_t open = 0; // stores since the last commit
  std::vector<int32_t> reading = {
      0};                   // stores of each group that have not landed; the last group is the open one
  uint32_t read_waited = 0; // groups that a wait_group has covered
  bool landed(uint32_t groups) const {
    for (uint32_t group = 0; group < groups; ++group)
      if (reading[group] > 0)
        return false;
    return true;
  }
};

// cp.async of one thread, numbered from 1. Agent `agent` counts copies known to have landed; agent + 1 those
// that a proxy fence has published.
struct AsyncCopies {
  int32_t agent = -1;
  uint32_t issued = 0, waited = 0;
  uint32_t landed = 0;       // with all before them
  std::vector<uint8_t> done; // by number less one
  std::vector<uint32_t> group_ends;
};

struct Thread {
  int32_t index = 0;    // in the cluster; its agent number
  int32_t in_block = 0; // %tid.x
  int32_t lane = 0;
  Warp *warp = nullptr;
  Block *block = nullptr;
  Fiber fiber;
  bool ready = false, exited = false;
  int32_t site = -1;
  Wait wait;

  Clock clock;
  uint32_t time = 1;                   // of its next event
  std::vector<uint32_t> proxy_fences;  // times of fences of shared memory towards the async proxy
  std::vector<int64_t> cluster_phases; // cluster barrier phases arrived at and not waited for: at most one
  int64_t cluster_waited = -1;         // the last one that was waited for
  BulkGroups bulk;
  AsyncCopies copies;

  // A parity wait in progress, to notice that two phases passed it.
  const Mbarrier *waits_on = nullptr;
  uint32_t waits_for_phase = 0;
  int32_t spurious_wakes = 0;

  // What the last plain store wrote, looked at when the thread enters the model again: handles must not get
  // there.
  const uint8_t *stored_at = nullptr;
  int64_t stored_bytes = 0;
  int32_t stored_site = -1;
};

// Threads of a warp on their way to one aligned instruction.
struct Meeting {
  int32_t site;
  uint32_t mask, arrived;
};

// The sums of one wgmma chain of a warp: 16 rows of n.
struct Accumulator {
  bool live = false;
  int32_t n = 0;
  std::vector<float> values;
  uint32_t last_product = 0; // number of the newest wgmma of the warp that adds to it
  uint32_t settled = 0;      // lanes that took their values
};

struct WarpProduct {
  int32_t site, accumulator, n, flags;
  int64_t a, b;
  size_t issue;                  // in the warpgroup
  std::unique_ptr<float[]> rows; // A from registers: 16 x 16
};

struct Warp {
  int32_t index = 0; // in the cluster
  int32_t in_block = 0;
  Block *block = nullptr;
  Thread *threads = nullptr; // 32
  uint32_t ready = 0, exited = 0;
  std::vector<Meeting> meetings;
  void *arguments[32] = {};
  int32_t registers = 0; // per thread
  int32_t register_changes = 0;
  uint32_t register_change_time = 0; // of lane 0, at the last setmaxnreg

  // wgmma: numbers count the warp's products from 1. Agent `agent` counts those known complete.
  int32_t agent = -1;
  uint32_t issued = 0, completed = 0, waited = 0;
  std::vector<uint32_t> group_ends;
  std::deque<WarpProduct> queue;
  bool queue_offered = false; // the head is among the pending effects
  std::vector<Accumulator> accumulators;
  size_t next_accumulator = 0;
  bool registers_written = true; // since the last wgmma.fence, as far as the model can see
  bool fenced_since_commit = false;
  Thread *waiter = nullptr;
};

// What the warps of a warpgroup agreed to execute.
struct WarpgroupIssue {
  int32_t site, n, flags;
  int64_t a, b;
  uint32_t warps = 0;
};
struct Warpgroup {
  std::vector<WarpgroupIssue> issues;
};

struct Mbarrier {
  Block *block = nullptr;
  int64_t offset = 0;
  bool live = false;
  int32_t agent = -1; // counts completed phases
  int32_t count = 0, pending = 0;
  int64_t transactions = 0;
  uint32_t phases = 0; // completed; never reset, so that the agent's time grows
  uint32_t first_phase = 0;
  int32_t in_flight = 0; // copies issued in the current phase
  uint32_t last_copy_phase = 0;
  int32_t last_copy_site = -1;
  Clock gathering, completed;
  // What other blocks have released at the scope of the cluster, for waits at that scope.
  Clock gathering_elsewhere, completed_elsewhere;
  int32_t init_thread = -1, init_site = -1;
  uint32_t init_time = 0, fenced_time = 0; // 0: not fenced
  // The phase of the cluster's barrier at which the initialising thread arrived, relaxed, behind its
  // fence.mbarrier_init; -1: at none.
  int64_t published_phase = -1;
  std::vector<Thread *> waiters;
};

struct NamedBarrier {
  int32_t expected = 0, arrived = 0, site = -1;
  Clock clock;
  std::vector<Thread *> waiters;
};

struct Block {
  int64_t number = 0;      // in the grid
  int32_t rank = 0;        // in the cluster
  uint8_t *slot = nullptr; // 256 KiB
  AccessHistory history;   // by offset in the slot
  std::map<int64_t, Mbarrier> mbarriers;
  NamedBarrier named[16];
  std::vector<Warpgroup> warpgroups;
  int32_t free_registers = 0;
  std::vector<Thread *> register_waiters;
  int32_t live = 0;                       // threads
  Clock exits;                            // joined over threads that exited
  std::map<int32_t, AccessRecord> remote; // last access of each thread of another block
};

} // namespace simulator
