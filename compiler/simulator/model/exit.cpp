// What must be finished when threads, warps and blocks exit, and what a deadlock looks like.
#include "compiler/simulator/model/multiprocessor.h"

#include "compiler/simulator/model/handles.h"

#include <fmt/format.h>

#include <map>

namespace simulator {

namespace {

void checkThread(Multiprocessor &model, const Thread &thread) {
  auto pending = [&](bool bad, const char *what) {
    if (bad)
      model.fault(FaultKind::PendingAtExit, what);
  };
  const BulkGroups &bulk = thread.bulk;
  pending(bulk.open > 0, "the thread exits with bulk stores that it did not commit to a group");
  pending(bulk.read_waited + 1 < bulk.reading.size(), "the thread exits before cp.async.bulk.wait_group: "
                                                      "shared memory may go before its stores have read it");
  pending(thread.copies.waited < thread.copies.issued,
          "the thread exits without having waited for its cp.async");
  if (!thread.cluster_phases.empty())
    model.fault(FaultKind::ClusterBarrier,
                "the thread exits between arriving at the cluster's barrier and waiting");
}

void checkWarp(Multiprocessor &model, const Warp &warp) {
  const uint32_t committed = warp.group_ends.empty() ? 0 : warp.group_ends.back();
  if (committed < warp.issued)
    model.fault(FaultKind::PendingAtExit, "the warp exits with wgmma that it did not commit to a group");
  if (warp.waited < warp.issued)
    model.fault(FaultKind::PendingAtExit, "the warp exits with wgmma that it did not wait for");
}

void checkRegisters(Multiprocessor &model, const Warp &warp) {
  const int32_t first = warp.in_block / 4 * 4;
  const Warp *warps = &warp - (warp.in_block - first);
  for (int32_t other = first; other < first + 4 && other * 32 < model.threadsPerBlock(); ++other)
    if (warps[other - first].registers != warp.registers)
      model.fault(
          FaultKind::Registers,
          fmt::format(
              "warps {} and {} of a warpgroup exit with {} and {} registers: setmaxnreg is for all of it",
              warp.in_block, other, warp.registers, warps[other - first].registers));
}

} // namespace

void Multiprocessor::exitThread(Thread &thread) {
  if (thread.stored_at)
    checkStoredHandles(*this, thread);
  checkThread(*this, thread);
  Warp &warp = *thread.warp;
  Block &block = *thread.block;
  for (const Meeting &meeting : warp.meetings)
    if (meeting.mask >> thread.lane & 1)
      fault(FaultKind::Divergence,
            fmt::format("the thread exits while lanes {:#x} of its warp wait for it at the aligned "
                        "instruction of site {}",
                        meeting.arrived, meeting.site),
            meeting.site);
  warp.exited |= 1u << thread.lane;
  if (warp.exited == all_lanes)
    checkWarp(*this, warp);
  thread.exited = true;
  block.exits.gather(thread.clock);
  --live_;
  if (--block.live == 0)
    for (const Warp &other : warps)
      if (other.block == &block)
        checkRegisters(*this, other);
  completeClusterBarrierIfDue();
}

void Multiprocessor::checkAtEnd() {
  for (const std::unique_ptr<Block> &block : blocks) {
    auto at = [&](const Mbarrier &barrier) {
      return fmt::format("mbarrier at byte {} of shared memory of block {} (initialised at site {})",
                         barrier.offset - shared_start, block->number, barrier.init_site);
    };
    for (const auto &[offset, barrier] : block->mbarriers) {
      if (!barrier.live)
        continue;
      if (barrier.transactions != 0)
        fault(FaultKind::PendingAtExit,
              fmt::format("{}: {} bytes are still expected at exit", at(barrier), barrier.transactions));
      if (barrier.pending != barrier.count)
        fault(FaultKind::PendingAtExit,
              fmt::format("{}: exit in the middle of a phase, {} of {} arrivals missing", at(barrier),
                          barrier.pending, barrier.count));
      if (block->exits[size_t(barrier.agent)] < barrier.last_copy_phase)
        fault(FaultKind::PendingAtExit,
              fmt::format("{}: no thread of the block waited for the copies of site {} before it exited",
                          at(barrier), barrier.last_copy_site),
              barrier.last_copy_site);
    }
    for (const auto &[thread, access] : block->remote)
      if (block->exits[size_t(thread)] < access.epoch)
        fault(
            FaultKind::ClusterLifetime,
            fmt::format(
                "the access of site {} to shared memory of block {} is not ordered before that block's exit",
                access.site, block->number),
            access.site);
  }
}

std::string Multiprocessor::describe(const Thread &thread) const {
  const Wait &wait = thread.wait;
  switch (wait.kind) {
  case Wait::Nothing:
    return "polls";
  case Wait::Meeting:
    return fmt::format("wait for the rest of lanes {:#x} of their warp", uint32_t(wait.detail));
  case Wait::NamedBarrier: {
    const NamedBarrier &barrier = thread.block->named[wait.detail];
    return fmt::format("wait at barrier {}: {} of {} threads arrived", wait.detail, barrier.arrived,
                       barrier.expected);
  }
  case Wait::ClusterBarrier:
    return "wait at the cluster's barrier";
  case Wait::MbarrierPhase: {
    const auto &barrier = *static_cast<const Mbarrier *>(wait.object);
    return fmt::format(
        "wait for phase {} of the mbarrier at byte {}: {} of {} arrivals missing, {} bytes expected",
        uint32_t(wait.detail) - barrier.first_phase, barrier.offset - shared_start, barrier.pending,
        barrier.count, barrier.transactions);
  }
  case Wait::Wgmma:
    return "wait for wgmma that not all warps of the warpgroup have issued";
  case Wait::BulkGroups:
    return "wait for bulk stores";
  case Wait::AsyncGroups:
    return "wait for cp.async";
  case Wait::Registers:
    return fmt::format("wait for {} registers per thread", wait.detail);
  }
  return "wait";
}

void Multiprocessor::deadlock() {
  // Threads that wait for the same thing in one line.
  std::map<std::string, std::pair<int32_t, const Thread *>> groups;
  const Thread *first = nullptr;
  for (const Thread &thread : threads) {
    if (thread.exited || thread.wait.kind == Wait::Meeting)
      continue;
    if (!first)
      first = &thread;
    auto &group =
        groups[fmt::format("at site {} of block {} {}", thread.site, thread.block->number, describe(thread))];
    if (group.first++ == 0)
      group.second = &thread;
  }
  std::string message = "no thread can run and nothing is in flight";
  for (const auto &[text, group] : groups)
    message += fmt::format("; {} thread(s) from thread {} on {}", group.first, group.second->in_block, text);
  for (const Warp &warp : warps)
    for (const Meeting &meeting : warp.meetings)
      if (meeting.arrived != meeting.mask)
        message +=
            fmt::format("; lanes {:#x} of warp {} of block {} wait at site {} for lanes {:#x}",
                        meeting.arrived, warp.in_block, warp.block->number, meeting.site, meeting.mask);
  Fault fault;
  fault.kind = FaultKind::Deadlock;
  fault.message = std::move(message);
  if (first) {
    fault.site = first->site;
    fault.block = first->block->number;
    fault.thread = first->in_block;
  }
  report.faults.push_back(std::move(fault));
  throw FaultFound();
}

// try_wait may give up after a time: a kernel may then do something else that frees it. Twice is enough for
// that.
bool Multiprocessor::wakePolling() {
  bool woke = false;
  for (Thread &thread : threads)
    if (!thread.exited && thread.waits_on && thread.spurious_wakes < 2) {
      ++thread.spurious_wakes;
      wake(thread);
      woke = true;
    }
  return woke;
}

} // namespace simulator
