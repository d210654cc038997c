#include "compiler/simulator/model/mbarrier.h"

#include "compiler/simulator/model/calls.h"

#include <fmt/format.h>

namespace simulator {

namespace {
constexpr int64_t most_transactions = (1 << 20) - 1, most_arrivals = (1 << 20) - 1;

void completePhase(Multiprocessor &model, Mbarrier &barrier) {
  if (barrier.in_flight > 0)
    model.fault(
        FaultKind::Mbarrier,
        fmt::format(
            "the phase completes while {} of its copies (the last of site {}) are still in flight: fewer "
            "bytes were expected than copied",
            barrier.in_flight, barrier.last_copy_site),
        barrier.last_copy_site);
  const uint32_t phase = barrier.phases++;
  barrier.pending = barrier.count;
  barrier.completed.gather(barrier.gathering);
  barrier.completed_elsewhere.gather(barrier.gathering_elsewhere);
  barrier.completed.advance(size_t(barrier.agent), barrier.phases);
  for (Thread *waiter : barrier.waiters) {
    if (waiter->waits_for_phase != phase)
      model.fault(
          FaultKind::Mbarrier,
          fmt::format(
              "thread {} of block {} still waits for phase {} at site {} when phase {} completes: the "
              "parity that it waits for is gone",
              waiter->in_block, waiter->block->number, waiter->waits_for_phase - barrier.first_phase,
              waiter->site, phase - barrier.first_phase),
          waiter->site);
    model.wake(*waiter);
  }
}

std::string nameOf(const Multiprocessor::Shared &where) {
  return fmt::format("mbarrier at byte {} of shared memory of block {}", where.offset - shared_start,
                     where.block->number);
}

// Whether the initialisation reached this thread through the cluster's barrier, though nobody released there:
// fence.mbarrier_init.release.cluster makes a relaxed arrival behind it release initialisations, and only
// these.
bool isPublished(Multiprocessor &model, const Mbarrier &barrier) {
  return barrier.published_phase >= 0 && model.self().cluster_waited >= barrier.published_phase;
}
} // namespace

Mbarrier &findMbarrier(Multiprocessor &model, const Multiprocessor::Shared &where) {
  auto found = where.block->mbarriers.find(where.offset);
  if (found == where.block->mbarriers.end() || !found->second.live)
    model.fault(FaultKind::Mbarrier, nameOf(where) + " is not initialised");
  Mbarrier &barrier = found->second;
  if (isPublished(model, barrier))
    return barrier;
  if (model.self().clock[size_t(barrier.init_thread)] < barrier.init_time)
    model.fault(FaultKind::Mbarrier,
                fmt::format("{} is used, and its initialisation at site {} is not ordered before",
                            nameOf(where), barrier.init_site),
                barrier.init_site);
  if (where.block != model.self().block &&
      (barrier.fenced_time == 0 || model.self().clock[size_t(barrier.init_thread)] < barrier.fenced_time))
    model.fault(
        FaultKind::Mbarrier,
        fmt::format(
            "{} is used by another block, and fence.mbarrier_init is missing after its initialisation at "
            "site {}",
            nameOf(where), barrier.init_site),
        barrier.init_site);
  return barrier;
}

Mbarrier &findMbarrierForAsync(Multiprocessor &model, const Multiprocessor::Shared &where) {
  Mbarrier &barrier = findMbarrier(model, where);
  const bool fenced =
      isPublished(model, barrier) ||
      (barrier.fenced_time != 0 && model.self().clock[size_t(barrier.init_thread)] >= barrier.fenced_time);
  const AccessRecord init{barrier.init_time, uint16_t(barrier.init_thread), 0, barrier.init_site};
  if (!fenced && model.orderAsync(model.self(), init) != Order::Ordered)
    model.fault(
        FaultKind::Mbarrier,
        fmt::format(
            "{} is used by a bulk copy, and fence.mbarrier_init (or a proxy fence) is missing between its "
            "initialisation at site {} and the copy",
            nameOf(where), barrier.init_site),
        barrier.init_site);
  return barrier;
}

void updateMbarrier(Multiprocessor &model, Mbarrier &barrier, int32_t arrivals, int64_t bytes) {
  barrier.transactions += bytes;
  if (std::abs(barrier.transactions) > most_transactions)
    model.fault(FaultKind::Mbarrier,
                fmt::format("the transaction count {} of the mbarrier leaves its range of 2^20 - 1",
                            barrier.transactions));
  if (arrivals > barrier.pending)
    model.fault(FaultKind::Mbarrier, fmt::format("{} arrivals where the phase waits for {} (of {})", arrivals,
                                                 barrier.pending, barrier.count));
  barrier.pending -= arrivals;
  if (barrier.pending == 0 && barrier.transactions == 0)
    completePhase(model, barrier);
}

namespace {

bool isOfCluster(Multiprocessor &model, int32_t scope) {
  if (scope < sm_scope_cta || scope > sm_scope_system)
    model.fault(FaultKind::BadCall, fmt::format("an mbarrier at scope {}", scope));
  return scope != sm_scope_cta;
}

int64_t arrive(Multiprocessor &model, Mbarrier &barrier, int32_t arrivals, int64_t bytes,
               int32_t scope = sm_scope_cta) {
  if (arrivals < 1 || arrivals > most_arrivals)
    model.fault(FaultKind::BadCall, fmt::format("an arrival that counts {}", arrivals));
  if (bytes < 0 || bytes > most_transactions)
    model.fault(FaultKind::Mbarrier, fmt::format("{} bytes expected: at most 2^20 - 1", bytes));
  const int64_t state = barrier.phases;
  Thread &thread = model.self();
  const bool elsewhere = barrier.block != thread.block;
  if (isOfCluster(model, scope) && elsewhere)
    barrier.gathering_elsewhere.gather(thread.clock);
  model.release(thread, barrier.gathering, elsewhere);
  updateMbarrier(model, barrier, arrivals, bytes);
  model.mayYield();
  return state;
}

// The number of the phase whose completion a wait with `parity` asks for: the current one, or the one before.
uint32_t phaseOfParity(Multiprocessor &model, const Mbarrier &barrier, int32_t parity) {
  if (parity != 0 && parity != 1)
    model.fault(FaultKind::BadCall, fmt::format("a phase parity of {}", parity));
  const bool current = int32_t((barrier.phases - barrier.first_phase) & 1) == parity;
  return current ? barrier.phases : barrier.phases - 1;
}

bool passed(Multiprocessor &model, const Mbarrier &barrier, uint32_t phase, int32_t scope = sm_scope_cta) {
  // Unsigned on purpose: the phase before the first counts as complete.
  if (int32_t(barrier.phases - phase) <= 0)
    return false;
  model.self().clock.join(barrier.completed);
  if (isOfCluster(model, scope))
    model.self().clock.join(barrier.completed_elsewhere);
  model.self().spurious_wakes = 0;
  return true;
}

int32_t tryWait(Multiprocessor &model, Mbarrier &barrier, uint32_t phase, int32_t scope) {
  if (passed(model, barrier, phase, scope))
    return 1;
  Thread &thread = model.self();
  thread.waits_on = &barrier;
  thread.waits_for_phase = phase;
  barrier.waiters.push_back(&thread);
  model.suspend({Wait::MbarrierPhase, &barrier, int64_t(phase)});
  std::erase(barrier.waiters, &thread);
  thread.waits_on = nullptr;
  // A time limit may have passed on the way.
  if (model.chance(8))
    return 0;
  return passed(model, barrier, phase, scope);
}

int32_t testWait(Multiprocessor &model, Mbarrier &barrier, uint32_t phase) {
  if (passed(model, barrier, phase))
    return 1;
  model.notePoll();
  model.self().fiber.leave();
  return 0;
}

uint32_t phaseOfState(Multiprocessor &model, const Mbarrier &barrier, int64_t state) {
  if (state < barrier.first_phase || state > barrier.phases || barrier.phases - state > 1)
    model.fault(FaultKind::Mbarrier,
                "a wait with a state that is neither of the current nor of the previous phase");
  return uint32_t(state);
}

Mbarrier &own(Multiprocessor &model, const void *address) {
  return findMbarrier(model, model.ownShared(address, 8, 8));
}
Mbarrier &any(Multiprocessor &model, const void *address) {
  return findMbarrier(model, model.shared(address, 8, 8));
}

} // namespace
} // namespace simulator

using namespace simulator;

extern "C" {

void sm_mbarrier_init(int32_t site, void *address, int32_t count) {
  enter(site, [&](Multiprocessor &model) {
    const Multiprocessor::Shared where = model.ownShared(address, 8, 8);
    if (count < 1 || count > most_arrivals)
      model.fault(FaultKind::Mbarrier, fmt::format("an mbarrier that expects {} arrivals", count));
    Mbarrier &barrier = where.block->mbarriers[where.offset];
    if (barrier.live)
      model.fault(FaultKind::Mbarrier,
                  fmt::format("{} is initialised again without mbarrier.inval; first at site {}",
                              nameOf(where), barrier.init_site),
                  barrier.init_site);
    Thread &thread = model.self();
    model.writeShared(where, 8);
    where.block->history.setMbarrier(where.offset, true);
    barrier.block = where.block;
    barrier.offset = where.offset;
    barrier.live = true;
    if (barrier.agent < 0)
      barrier.agent = model.newAgent();
    barrier.count = barrier.pending = count;
    barrier.transactions = 0;
    barrier.phases = barrier.first_phase = (barrier.phases + 1) & ~1u;
    barrier.init_thread = thread.index;
    barrier.init_site = site;
    barrier.init_time = thread.time;
    barrier.fenced_time = 0;
    barrier.published_phase = -1;
  });
}

void sm_mbarrier_inval(int32_t site, void *address) {
  enter(site, [&](Multiprocessor &model) {
    const Multiprocessor::Shared where = model.ownShared(address, 8, 8);
    Mbarrier &barrier = findMbarrier(model, where);
    if (barrier.pending != barrier.count || barrier.transactions != 0 || barrier.in_flight != 0 ||
        !barrier.waiters.empty())
      model.fault(FaultKind::Mbarrier, nameOf(where) + " is invalidated in the middle of a phase");
    barrier.live = false;
    where.block->history.setMbarrier(where.offset, false);
    model.writeShared(where, 8);
  });
}

int64_t sm_mbarrier_arrive(int32_t site, void *address, int32_t count) {
  return enter(site, [&](Multiprocessor &model) { return arrive(model, own(model, address), count, 0); });
}

void sm_mbarrier_arrive_cluster(int32_t site, void *address, int32_t count, int32_t scope) {
  enter(site, [&](Multiprocessor &model) { arrive(model, any(model, address), count, 0, scope); });
}

int64_t sm_mbarrier_arrive_expect_tx(int32_t site, void *address, int32_t bytes) {
  return enter(site, [&](Multiprocessor &model) { return arrive(model, own(model, address), 1, bytes); });
}

void sm_mbarrier_arrive_expect_tx_cluster(int32_t site, void *address, int32_t bytes) {
  enter(site, [&](Multiprocessor &model) { arrive(model, any(model, address), 1, bytes); });
}

void sm_mbarrier_expect_tx(int32_t site, void *address, int32_t bytes) {
  enter(site, [&](Multiprocessor &model) {
    if (bytes < 0 || bytes > most_transactions)
      model.fault(FaultKind::Mbarrier, fmt::format("{} bytes expected: at most 2^20 - 1", bytes));
    updateMbarrier(model, any(model, address), 0, bytes);
    model.mayYield();
  });
}

void sm_mbarrier_complete_tx(int32_t site, void *address, int32_t bytes) {
  enter(site, [&](Multiprocessor &model) {
    if (bytes < 0 || bytes > most_transactions)
      model.fault(FaultKind::Mbarrier, fmt::format("{} bytes completed: at most 2^20 - 1", bytes));
    updateMbarrier(model, any(model, address), 0, -int64_t(bytes));
    model.mayYield();
  });
}

int32_t sm_mbarrier_try_wait_parity(int32_t site, void *address, int32_t parity, int32_t scope) {
  return enter(site, [&](Multiprocessor &model) {
    Mbarrier &barrier = own(model, address);
    return tryWait(model, barrier, phaseOfParity(model, barrier, parity), scope);
  });
}

int32_t sm_mbarrier_test_wait_parity(int32_t site, void *address, int32_t parity) {
  return enter(site, [&](Multiprocessor &model) {
    Mbarrier &barrier = own(model, address);
    return testWait(model, barrier, phaseOfParity(model, barrier, parity));
  });
}

int32_t sm_mbarrier_try_wait(int32_t site, void *address, int64_t state, int32_t scope) {
  return enter(site, [&](Multiprocessor &model) {
    Mbarrier &barrier = own(model, address);
    return tryWait(model, barrier, phaseOfState(model, barrier, state), scope);
  });
}

int32_t sm_mbarrier_test_wait(int32_t site, void *address, int64_t state) {
  return enter(site, [&](Multiprocessor &model) {
    Mbarrier &barrier = own(model, address);
    return testWait(model, barrier, phaseOfState(model, barrier, state));
  });
}

void sm_fence_mbarrier_init(int32_t site) {
  enter(site, [&](Multiprocessor &model) {
    Thread &thread = model.self();
    for (auto &[offset, barrier] : thread.block->mbarriers)
      if (barrier.init_thread == thread.index && barrier.fenced_time == 0)
        barrier.fenced_time = thread.time;
    thread.clock.advance(size_t(thread.index), ++thread.time);
  });
}

} // extern "C"
