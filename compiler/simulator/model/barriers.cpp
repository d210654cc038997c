// Named barriers, the cluster's barrier, warp synchronisation, fences, dependent launches.
#include "compiler/simulator/model/multiprocessor.h"

#include "compiler/simulator/model/calls.h"

#include <fmt/format.h>

namespace simulator {

namespace {

// One warp's arrival. True if it completed the barrier.
bool arriveNamed(Multiprocessor &model, Warp &warp, int32_t id, int32_t threads, bool waits) {
  if (id < 0 || id > 15)
    model.fault(FaultKind::NamedBarrier, fmt::format("barrier {}: there are 0 to 15", id));
  const int32_t expected = threads == 0 ? model.threadsPerBlock() : threads;
  if (expected < 32 || expected % 32 != 0 || expected > model.threadsPerBlock())
    model.fault(FaultKind::NamedBarrier,
                fmt::format("barrier {} of {} threads: a multiple of 32, and at most the block's {}", id,
                            expected, model.threadsPerBlock()));
  NamedBarrier &barrier = warp.block->named[id];
  if (barrier.arrived > 0 && barrier.expected != expected)
    model.fault(FaultKind::NamedBarrier,
                fmt::format("barrier {} with {} threads here and {} at site {}", id, expected,
                            barrier.expected, barrier.site),
                barrier.site);
  barrier.expected = expected;
  barrier.site = model.self().site;
  for (int32_t lane = 0; lane < 32; ++lane)
    model.release(warp.threads[lane], barrier.clock);
  barrier.arrived += 32;
  if (barrier.arrived < expected)
    return false;
  for (Thread *waiter : barrier.waiters) {
    for (int32_t lane = 0; lane < 32; ++lane)
      waiter->warp->threads[lane].clock.join(barrier.clock);
    model.wake(*waiter);
  }
  if (waits)
    for (int32_t lane = 0; lane < 32; ++lane)
      warp.threads[lane].clock.join(barrier.clock);
  barrier.waiters.clear();
  barrier.arrived = 0;
  // The next use may be among other warps, which this one does not order.
  barrier.clock.clear();
  return true;
}

struct BarrierArguments {
  int32_t id, threads;
};

template <class Arguments, class Same>
void checkSame(Multiprocessor &model, Warp &warp, const char *what, Same same) {
  const auto *first = static_cast<const Arguments *>(warp.arguments[0]);
  for (int32_t lane = 1; lane < 32; ++lane)
    if (!same(*first, *static_cast<const Arguments *>(warp.arguments[lane])))
      model.fault(FaultKind::Divergence, fmt::format("lanes 0 and {} disagree on {}", lane, what));
}

void arriveCluster(Multiprocessor &model, Thread &thread, bool relaxed) {
  if (!thread.cluster_phases.empty())
    model.fault(FaultKind::ClusterBarrier, "arrives at the cluster's barrier twice without waiting");
  thread.cluster_phases.push_back(model.cluster_phase);
  if (!relaxed)
    model.release(thread, model.cluster_barrier.clock);
  for (auto &[offset, barrier] : thread.block->mbarriers)
    if (barrier.init_thread == thread.index && barrier.fenced_time != 0 && barrier.published_phase < 0)
      barrier.published_phase = model.cluster_phase;
  ++model.cluster_arrived;
  model.completeClusterBarrierIfDue();
}

void waitCluster(Multiprocessor &model) {
  Thread &thread = model.self();
  if (thread.cluster_phases.empty())
    model.fault(FaultKind::ClusterBarrier, "waits at the cluster's barrier without having arrived");
  while (model.cluster_phase <= thread.cluster_phases.front()) {
    model.cluster_barrier.waiters.push_back(&thread);
    model.suspend({Wait::ClusterBarrier, nullptr, thread.cluster_phases.front()});
  }
}

} // namespace

void Multiprocessor::completeClusterBarrierIfDue() {
  if (cluster_arrived < live_ || cluster_arrived == 0)
    return;
  cluster_arrived = 0;
  ++cluster_phase;
  // A phase's clock is kept until the next completes: nobody can arrive at that before having waited for
  // this.
  cluster_completed.gather(cluster_barrier.clock);
  for (Thread *waiter : cluster_barrier.waiters)
    wake(*waiter);
  cluster_barrier.waiters.clear();
}

} // namespace simulator

using namespace simulator;

extern "C" {

void sm_barrier(int32_t site, int32_t id, int32_t threads) {
  enter(site, [&](Multiprocessor &model) {
    BarrierArguments arguments{id, threads};
    model.meet(all_lanes, &arguments, [&](Warp &warp) {
      checkSame<BarrierArguments>(model, warp, "the barrier",
                                  [](auto &a, auto &b) { return a.id == b.id && a.threads == b.threads; });
      // The warp's other lanes wait in the meeting, this one for all of them.
      if (!arriveNamed(model, warp, id, threads, true)) {
        warp.block->named[id].waiters.push_back(&model.self());
        model.suspend({Wait::NamedBarrier, nullptr, id});
      }
    });
  });
}

void sm_barrier_arrive(int32_t site, int32_t id, int32_t threads) {
  enter(site, [&](Multiprocessor &model) {
    BarrierArguments arguments{id, threads};
    model.meet(all_lanes, &arguments, [&](Warp &warp) {
      checkSame<BarrierArguments>(model, warp, "the barrier",
                                  [](auto &a, auto &b) { return a.id == b.id && a.threads == b.threads; });
      if (threads == 0)
        model.fault(FaultKind::NamedBarrier, "barrier.arrive needs a thread count");
      arriveNamed(model, warp, id, threads, false);
    });
    model.mayYield();
  });
}

void sm_cluster_arrive(int32_t site, int32_t relaxed, int32_t aligned) {
  enter(site, [&](Multiprocessor &model) {
    if (!aligned)
      return arriveCluster(model, model.self(), relaxed != 0);
    model.meet(all_lanes, nullptr, [&](Warp &warp) {
      for (int32_t lane = 0; lane < 32; ++lane)
        arriveCluster(model, warp.threads[lane], relaxed != 0);
    });
  });
}

void sm_cluster_wait(int32_t site, int32_t aligned) {
  enter(site, [&](Multiprocessor &model) {
    if (aligned)
      model.meet(all_lanes, nullptr, [](Warp &) {});
    waitCluster(model);
    model.self().cluster_waited = model.self().cluster_phases.front();
    model.self().cluster_phases.clear();
    model.self().clock.join(model.cluster_completed);
  });
}

void sm_warp_sync(int32_t site, int32_t mask) {
  enter(site, [&](Multiprocessor &model) {
    model.meet(uint32_t(mask), nullptr, [&](Warp &warp) {
      Clock all;
      for (int32_t lane = 0; lane < 32; ++lane)
        if (uint32_t(mask) >> lane & 1)
          model.release(warp.threads[lane], all);
      for (int32_t lane = 0; lane < 32; ++lane)
        if (uint32_t(mask) >> lane & 1)
          warp.threads[lane].clock.join(all);
    });
  });
}

void sm_fence_proxy(int32_t site, int32_t kind) {
  enter(site, [&](Multiprocessor &model) {
    switch (kind) {
    case sm_proxy_async:
    case sm_proxy_async_shared_cta:
    case sm_proxy_async_shared_cluster:
      return model.fenceProxy(model.self());
    case sm_proxy_async_global: // bulk copies may not read what the launch wrote, fenced or not
    case sm_proxy_alias:
    case sm_proxy_tensormap:
      return;
    default:
      model.fault(FaultKind::BadCall, fmt::format("a proxy fence of kind {}", kind));
    }
  });
}

void sm_fence(int32_t site, int32_t scope) {
  enter(site, [&](Multiprocessor &model) {
    if (scope < sm_scope_cta || scope > sm_scope_system)
      model.fault(FaultKind::BadCall, fmt::format("a fence of scope {}", scope));
    model.mayYield();
  });
}

void sm_griddepcontrol_wait(int32_t site) {
  enter(site, [](Multiprocessor &model) { model.noteDependentWait(model.self()); });
}

void sm_griddepcontrol_launch_dependents(int32_t site) {
  enter(site, [](Multiprocessor &) {});
}

} // extern "C"
