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
      0};                  // stores of each group that have not landed; the last group is the open one
  uint32_t readWaited = 0; // groups that a wait_group has covered
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
  std::vector<uint32_t> groupEnds;
};

struct Thread {
  int32_t index = 0;   // in the cluster; its agent number
  int32_t inBlock = 0; // %tid.x
  int32_t lane = 0;
  Warp *warp = nullptr;
  Block *block = nullptr;
  Fiber fiber;
  bool ready = false, exited = false;
  int32_t site = -1;
  Wait wait;

  Clock clock;
  uint32_t time = 1;                  // of its next event
  std::vector<uint32_t> proxyFences;  // times of fences of shared memory towards the async proxy
  std::vector<int64_t> clusterPhases; // cluster barrier phases arrived at and not waited for: at most one
  BulkGroups bulk;
  AsyncCopies copies;

  // A parity wait in progress, to notice that two phases passed it.
  const Mbarrier *waitsOn = nullptr;
  uint32_t waitsForPhase = 0;
  int32_t spuriousWakes = 0;

  // What the last plain store wrote, looked at when the thread enters the model again: handles must not get
  // there.
  const uint8_t *storedAt = nullptr;
  int64_t storedBytes = 0;
  int32_t storedSite = -1;
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
  uint32_t lastProduct = 0; // number of the newest wgmma of the warp that adds to it
  uint32_t settled = 0;     // lanes that took their values
};

struct WarpProduct {
  int32_t site, accumulator, n, flags;
  int64_t a, b;
  size_t issue;                  // in the warpgroup
  std::unique_ptr<float[]> rows; // A from registers: 16 x 16
};

struct Warp {
  int32_t index = 0; // in the cluster
  int32_t inBlock = 0;
  Block *block = nullptr;
  Thread *threads = nullptr; // 32
  uint32_t ready = 0, exited = 0;
  std::vector<Meeting> meetings;
  void *arguments[32] = {};
  int32_t registers = 0; // per thread
  int32_t registerChanges = 0;
  uint32_t registerChangeTime = 0; // of lane 0, at the last setmaxnreg

  // wgmma: numbers count the warp's products from 1. Agent `agent` counts those known complete.
  int32_t agent = -1;
  uint32_t issued = 0, completed = 0, waited = 0;
  std::vector<uint32_t> groupEnds;
  std::deque<WarpProduct> queue;
  bool queueOffered = false; // the head is among the pending effects
  std::vector<Accumulator> accumulators;
  size_t nextAccumulator = 0;
  bool registersWritten = true; // since the last wgmma.fence, as far as the model can see
  bool fencedSinceCommit = false;
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
  uint32_t firstPhase = 0;
  int32_t inFlight = 0; // copies issued in the current phase
  uint32_t lastCopyPhase = 0;
  int32_t lastCopySite = -1;
  Clock gathering, completed;
  // What other blocks have released at the scope of the cluster, for waits at that scope.
  Clock gatheringElsewhere, completedElsewhere;
  int32_t initThread = -1, initSite = -1;
  uint32_t initTime = 0, fencedTime = 0; // 0: not fenced
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
  int32_t freeRegisters = 0;
  std::vector<Thread *> registerWaiters;
  int32_t live = 0;                       // threads
  Clock exits;                            // joined over threads that exited
  std::map<int32_t, AccessRecord> remote; // last access of each thread of another block
};

} // namespace simulator
