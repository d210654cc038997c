#include "compiler/simulator/model/multiprocessor.h"

#include "compiler/simulator/model/handles.h"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <new>
#include <stdexcept>
#include <sys/mman.h>

namespace simulator {

namespace {
thread_local Multiprocessor *active = nullptr;

// Room for the cluster's slots below 2 GiB, so that addresses survive 32 bits.
uint8_t *mapWindow(int64_t bytes) {
  for (uint64_t address = 0x40000000; address + uint64_t(bytes) <= 0x7fff0000; address += slot_bytes) {
    void *wanted = reinterpret_cast<void *>(address);
    void *got = mmap(wanted, size_t(bytes), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == wanted)
      return static_cast<uint8_t *>(got);
    if (got != MAP_FAILED)
      munmap(got, size_t(bytes));
    else if (errno == ENOMEM) // no address would help
      throw std::bad_alloc();
  }
  throw std::runtime_error("the simulator finds no room for shared memory below 2 GiB of address space");
}
} // namespace

Multiprocessor::Multiprocessor(const Launch &launch, GlobalMemory &memory, Report &report)
    : launch(launch), memory(memory), report(report), random(launch.seed * 0x9e3779b97f4a7c15ull + 1) {
  window_bytes_ = slot_bytes * launch.cluster;
  window_ = mapWindow(window_bytes_);
  thread_body_ = [this] {
    this->launch.kernel();
    try {
      exitThread(self());
    } catch (const FaultFound &) {
      abandonThread();
    }
  };
  active = this;
}

Multiprocessor::~Multiprocessor() {
  munmap(window_, size_t(window_bytes_));
  active = nullptr;
}

Multiprocessor &Multiprocessor::current() { return *active; }

void Multiprocessor::createCluster(int64_t cluster) {
  const int32_t per_block = launch.threads, count = per_block * launch.cluster;
  threads = std::vector<Thread>(size_t(count));
  warps = std::vector<Warp>(size_t(count / 32));
  blocks.clear();
  effects_.clear();
  ready_warps_.clear();
  copy_agents_.clear();
  is_copy_agent_.clear();
  fruitless_polls_ = 0;
  dependent_waits_.clear();
  cluster_barrier = NamedBarrier();
  cluster_completed.clear();
  is_atomic_site_.clear();
  cluster_phase = 0;
  cluster_arrived = 0;
  next_agent_ = count;
  live_ = count;
  // From landing whenever possible to landing only when nothing else can happen.
  static constexpr uint32_t rates[] = {4, 32, 256, 0};
  land_one_in_ = rates[random() % 4];

  for (int32_t rank = 0; rank < launch.cluster; ++rank) {
    auto block = std::make_unique<Block>();
    block->number = cluster * launch.cluster + rank;
    block->rank = rank;
    block->slot = window_ + rank * slot_bytes;
    block->history.reset(shared_start + launch.shared_bytes);
    block->warpgroups.resize(size_t((per_block + 127) / 128));
    block->live = per_block;
    // A pattern that is a NaN in f32, bf16 and f16 at once.
    std::fill_n(block->slot, slot_bytes, uint8_t(0xff));
    blocks.push_back(std::move(block));
  }
  StackPool &stacks = StackPool::ofThisThread();
  for (int32_t index = 0; index < count; ++index) {
    Thread &thread = threads[size_t(index)];
    thread.index = index;
    thread.in_block = index % per_block;
    thread.lane = thread.in_block % 32;
    thread.warp = &warps[size_t(index / 32)];
    thread.block = blocks[size_t(index / per_block)].get();
    thread.clock.advance(size_t(index), thread.time);
    thread.fiber.start(stacks.top(size_t(index)), StackPool::stack_bytes, &thread_body_);
    if (thread.lane == 0) {
      Warp &warp = *thread.warp;
      warp.index = index / 32;
      warp.in_block = thread.in_block / 32;
      warp.block = thread.block;
      warp.threads = &thread;
      warp.registers = launch.registers;
    }
    wake(thread);
  }
}

void Multiprocessor::runCluster(int64_t cluster) {
  constexpr int64_t steps_between_reports = 1 << 20;
  try {
    createCluster(cluster);
    // A launch over many rows takes many steps; one that goes on for ever writes nothing new.
    int64_t written = report.statistics.bytes_written;
    for (int64_t steps = 0, idle = 0; live_ > 0; ++steps, ++idle) {
      if (written != report.statistics.bytes_written) {
        written = report.statistics.bytes_written;
        idle = 0;
      }
      if (idle > launch.most_steps)
        fault(FaultKind::Endless,
              fmt::format("the cluster is still running {} steps after it last wrote a result", idle));
      if (launch.progress && steps % steps_between_reports == 0)
        launch.progress(report.statistics.bytes_written);
      const bool can_run = !ready_warps_.empty();
      // Threads that poll run for ever; effects must not wait for them to stop.
      const uint32_t one_in = land_one_in_ == 0 && fruitless_polls_ > 0 ? 64 : land_one_in_;
      if ((!can_run || (one_in != 0 && chance(one_in))) && landOne())
        continue;
      if (can_run)
        runWarp(warps[size_t(ready_warps_[random() % ready_warps_.size()])]);
      else if (!wakePolling())
        deadlock();
    }
    while (landOne()) {
    }
    checkAtEnd();
  } catch (const FaultFound &) {
    effects_.clear();
    landing_ = nullptr;
    running_ = nullptr;
  }
}

bool Multiprocessor::landOne() {
  if (effects_.empty())
    return false;
  const size_t pick = random() % effects_.size();
  const Effect effect = std::move(effects_[pick]);
  if (pick + 1 != effects_.size())
    effects_[pick] = std::move(effects_.back());
  effects_.pop_back();
  fruitless_polls_ = 0;
  landing_ = &effect;
  effect.land();
  landing_ = nullptr;
  return true;
}

void Multiprocessor::addEffect(Thread &thread, int32_t site, std::function<void()> land) {
  effects_.push_back({&thread, site, std::move(land)});
}

void Multiprocessor::notePoll() {
  if (++fruitless_polls_ > 1'000'000 && effects_.empty())
    deadlock();
}

void Multiprocessor::runWarp(Warp &warp) {
  // Mostly the lanes run together, as they do on the device; at times one alone runs ahead.
  if (chance(16)) {
    uint32_t skip = uint32_t(random() % uint64_t(std::popcount(warp.ready)));
    uint32_t lanes = warp.ready;
    while (skip-- > 0)
      lanes &= lanes - 1;
    runThread(warp.threads[std::countr_zero(lanes)]);
    return;
  }
  for (uint32_t lanes = warp.ready; lanes != 0; lanes &= lanes - 1)
    if (Thread &thread = warp.threads[std::countr_zero(lanes)]; thread.ready)
      runThread(thread);
}

void Multiprocessor::runThread(Thread &thread) {
  const size_t faults = report.faults.size();
  running_ = &thread;
  thread.wait = Wait();
  thread.ready = true;
  ++report.statistics.switches;
  rounds_ = 0;
  const bool goes_on = thread.fiber.resume();
  running_ = nullptr;
  if (report.faults.size() != faults)
    throw FaultFound();
  if (!goes_on || !thread.ready) {
    Warp &warp = *thread.warp;
    if (thread.exited)
      thread.ready = false;
    if (!thread.ready && (warp.ready >> thread.lane & 1)) {
      warp.ready &= ~(1u << thread.lane);
      if (warp.ready == 0)
        std::erase(ready_warps_, warp.index);
    }
  }
}

void Multiprocessor::suspend(Wait wait) {
  Thread &thread = self();
  thread.wait = wait;
  thread.ready = false;
  thread.fiber.leave();
}

void Multiprocessor::wake(Thread &thread) {
  if (thread.exited)
    return;
  thread.ready = true;
  Warp &warp = *thread.warp;
  if (warp.ready == 0)
    ready_warps_.push_back(warp.index);
  warp.ready |= 1u << thread.lane;
}

void Multiprocessor::noteRound() {
  if (++rounds_ > launch.most_steps)
    fault(
        FaultKind::Endless,
        fmt::format("the thread has gone round its loops {} times and done nothing else", launch.most_steps));
}

void Multiprocessor::mayYield() {
  if (chance(8))
    self().fiber.leave();
}

void Multiprocessor::abandonThread() {
  for (;;) {
    self().ready = false;
    self().fiber.leave();
  }
}

void Multiprocessor::begin(int32_t site) {
  Thread &thread = self();
  if (thread.stored_at)
    checkStoredHandles(*this, thread);
  thread.site = site;
  ++report.statistics.calls;
  std::vector<uint8_t> &reached = report.statistics.site_reached;
  if (site >= 0) {
    if (size_t(site) >= reached.size())
      reached.resize(size_t(site) + 1, 0);
    reached[size_t(site)] = 1;
  }
}

void Multiprocessor::fault(FaultKind kind, std::string message, int32_t other_site) {
  Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  fault.other_site = other_site;
  if (running_) {
    fault.site = running_->site;
    fault.block = running_->block->number;
    fault.thread = running_->in_block;
  } else if (landing_) {
    fault.site = landing_->site;
    fault.block = landing_->thread->block->number;
    fault.thread = landing_->thread->in_block;
  }
  report.faults.push_back(std::move(fault));
  throw FaultFound();
}

bool Multiprocessor::arriveAtMeeting(uint32_t mask, void *arguments) {
  Thread &thread = self();
  Warp &warp = *thread.warp;
  const uint32_t bit = 1u << thread.lane;
  if (!(mask & bit))
    fault(FaultKind::Divergence, fmt::format("lane {} is not in the mask {:#x} it names", thread.lane, mask));
  if (mask & warp.exited)
    fault(FaultKind::Divergence,
          fmt::format("lanes {:#x} of the warp have exited, and the instruction needs lanes {:#x}",
                      warp.exited, mask));
  warp.arguments[thread.lane] = arguments;
  auto meeting = std::find_if(warp.meetings.begin(), warp.meetings.end(),
                              [&](const Meeting &other) { return other.mask & mask; });
  if (meeting == warp.meetings.end()) {
    warp.meetings.push_back({thread.site, mask, 0});
    meeting = warp.meetings.end() - 1;
  } else if (meeting->site != thread.site || meeting->mask != mask) {
    fault(FaultKind::Divergence,
          fmt::format("threads of a warp are at different aligned instructions: lane {} here (mask {:#x}), "
                      "lanes {:#x} at "
                      "site {} (mask {:#x})",
                      thread.lane, mask, meeting->arrived, meeting->site, meeting->mask),
          meeting->site);
  }
  meeting->arrived |= bit;
  if (meeting->arrived == mask)
    return true;
  suspend({Wait::Meeting, nullptr, int64_t(mask)});
  return false;
}

void Multiprocessor::endMeeting(uint32_t mask) {
  Warp &warp = *self().warp;
  std::erase_if(warp.meetings, [&](const Meeting &other) { return other.mask == mask; });
  for (uint32_t lanes = mask & ~(1u << self().lane); lanes != 0; lanes &= lanes - 1)
    wake(warp.threads[std::countr_zero(lanes)]);
}

} // namespace simulator
