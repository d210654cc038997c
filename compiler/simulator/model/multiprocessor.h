// The running cluster: scheduling, faults, clocks, pending effects. The instructions build on it, one family
// per file.
#pragma once

#include "compiler/simulator/model/machine.h"
#include "compiler/simulator/model/state.h"

#include <functional>
#include <optional>
#include <random>

namespace simulator {

// Unwinds the model's own frames after a fault was recorded. Never crosses a frame of the kernel.
struct FaultFound {};

// Shared memory addresses start here, as on the device, where the system keeps the first KiB.
inline constexpr int64_t shared_start = 1024;
inline constexpr int64_t slot_bytes = 256 * 1024;
inline constexpr uint32_t all_lanes = 0xffffffffu;

class Multiprocessor {
public:
  Multiprocessor(const Launch &launch, GlobalMemory &memory, Report &report);
  ~Multiprocessor();
  Multiprocessor(const Multiprocessor &) = delete;
  Multiprocessor &operator=(const Multiprocessor &) = delete;

  void runCluster(int64_t cluster);
  static Multiprocessor &current();

  const Launch &launch;
  GlobalMemory &memory;
  Report &report;
  std::mt19937_64 random;

  // ---- of the thread that runs ----
  Thread &self() { return *running_; }
  // Every call passes here first. Null in effects.
  void begin(int32_t site);
  // Records and unwinds. The message says what happened; site, block and thread are added.
  [[noreturn]] void fault(FaultKind kind, std::string message, int32_t other_site = -1);
  // Suspends for good; the kernel's frames stay where they are.
  [[noreturn]] void abandonThread();
  void suspend(Wait wait);
  void wake(Thread &thread);
  // The thread that runs has gone round a loop.
  void noteRound();
  // Lets others run, now and then.
  void mayYield();

  // Runs `body` once when all lanes of `mask` are at `site`, each having passed its `arguments`.
  // Nothing on the stack of a suspended thread may own memory: an abandoned one is never unwound.
  template <class Body> void meet(uint32_t mask, void *arguments, Body body) {
    if (!arriveAtMeeting(mask, arguments))
      return;
    body(*self().warp);
    endMeeting(mask);
  }

  // ---- effects that land later ----
  // On behalf of the thread that runs, or of `thread`; what it faults at names that thread and `site`.
  void addEffect(Thread &thread, int32_t site, std::function<void()> land);
  // A wait that only asked, and got no.
  void notePoll();
  bool chance(uint32_t one_in) { return random() % one_in == 0; }

  // ---- clocks ----
  // Of a record of an access (AccessRecord), which has no more than 65536: a fault beyond.
  int32_t newAgent();
  Order orderGeneric(const Thread &thread, const AccessRecord &record) const;
  Order orderAsync(const Thread &thread, const AccessRecord &record) const;
  // Order alone: whoever joins the clock does not see what the thread has written.
  void release(Thread &thread, Clock &into, bool order_alone = false);
  AccessRecord recordOf(const Thread &thread) const;
  // Two agents: copies known to have landed, and those that a proxy fence has published.
  int32_t newCopyAgent();
  void fenceProxy(Thread &thread);

  // ---- shared memory ----
  struct Shared {
    Block *block;
    int64_t offset; // in the slot
    uint8_t *bytes;
  };
  bool inSharedWindow(const void *address) const;
  // The block and offset of [address, address + bytes). Faults outside shared memory, off `alignment`, or in
  // a block that has exited.
  Shared shared(const void *address, int64_t bytes, int64_t alignment, bool note_access = true);
  // The same within the thread's own block.
  Shared ownShared(const void *address, int64_t bytes, int64_t alignment);
  void noteRemote(Block &block);
  void readShared(const Shared &where, int64_t bytes);
  void writeShared(const Shared &where, int64_t bytes);
  void atomicShared(const Shared &where, int64_t bytes);
  // Faults for what a history found.
  void object(const Conflict &conflict, const Block &block, const char *action);

  // ---- global memory ----
  GlobalRegion &global(const void *address, int64_t bytes, const char *action);
  void readGlobal(const void *address, int64_t bytes, const char *action);
  // By the async proxy, which may not read what the launch writes.
  void readGlobalByCopy(const void *address, int64_t bytes);
  void writeGlobal(const void *address, int64_t bytes, const char *action, bool bulk);
  void noteDependentWait(Thread &thread);
  // What GlobalRegion::writer holds of bytes that no one thread wrote.
  static constexpr uint32_t bulk_writer = 0xffffffffu, atomic_writer = 0xfffffffeu;
  uint32_t writerNumber() const;

  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<Warp> warps;
  std::vector<Thread> threads;
  NamedBarrier cluster_barrier;
  Clock cluster_completed;
  int64_t cluster_phase = 0;
  int32_t cluster_arrived = 0;
  int32_t threadsPerBlock() const { return launch.threads; }
  int32_t liveThreads() const { return live_; }
  // Called when a thread has exited: barriers of the cluster may complete.
  void completeClusterBarrierIfDue();

private:
  bool arriveAtMeeting(uint32_t mask, void *arguments);
  void endMeeting(uint32_t mask);
  void createCluster(int64_t cluster);
  void runThread(Thread &thread);
  void runWarp(Warp &warp);
  bool landOne();
  bool wakePolling();
  void exitThread(Thread &thread);
  void checkAtEnd();
  [[noreturn]] void deadlock();
  std::string describe(const Thread &thread) const;

  Thread *running_ = nullptr;
  int32_t live_ = 0;
  int32_t next_agent_ = 0;
  struct Effect {
    Thread *thread;
    int32_t site;
    std::function<void()> land;
  };
  std::vector<Effect> effects_;
  const Effect *landing_ = nullptr;
  int64_t fruitless_polls_ = 0;
  int64_t rounds_ = 0; // of loops, since the running thread was resumed
  std::vector<int32_t> ready_warps_;
  std::vector<int32_t> copy_agents_;
  std::vector<uint8_t> is_copy_agent_;
  std::vector<uint8_t> is_atomic_site_;
  std::vector<AccessRecord> dependent_waits_; // griddepcontrol.wait executed
  uint32_t land_one_in_ = 8;
  uint8_t *window_ = nullptr;
  int64_t window_bytes_ = 0;
  std::function<void()> thread_body_;
};

// The frame of every C entry: notes the call, keeps exceptions away from the kernel.
template <class Body> auto enter(int32_t site, Body body) -> decltype(body(Multiprocessor::current())) {
  Multiprocessor &model = Multiprocessor::current();
  try {
    model.begin(site);
    return body(model);
  } catch (const FaultFound &) {
  }
  model.abandonThread();
}

} // namespace simulator
