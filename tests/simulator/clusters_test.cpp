// Clusters: their barrier, remote shared memory and mbarriers, multicast, lifetimes.
#include "tests/simulator/launches.h"

namespace simulator {
namespace {

constexpr Shape pairs{32, 16384, 4, 2, 0, false};

void clusterSync(int32_t site) {
  sm_cluster_arrive(site, 0, 1);
  sm_cluster_wait(site + 1, 1);
}

TEST(Cluster, ExchangesThroughRemoteSharedMemory) {
  auto kernel = [](bool synchronises, bool lingers) {
    return [=] {
      void *other = sm_mapa(1, sharedAt(laneIndex() * 4), blockRank() ^ 1);
      store<int32_t>(other, blockRank() * 100 + laneIndex());
      if (synchronises)
        clusterSync(10);
      EXPECT_EQ(load<int32_t>(sharedAt(laneIndex() * 4)), (blockRank() ^ 1) * 100 + laneIndex());
      sm_read(20, other, 4);
      if (lingers)
        clusterSync(30);
    };
  };
  EXPECT_TRUE(passes(kernel(true, true), pairs));
  EXPECT_TRUE(faults(FaultKind::ClusterLifetime, kernel(true, false), pairs));
  GlobalMemory none;
  EXPECT_EQ(kindsOver([] { sm_read(1, sharedAt(0), 4); }, none, pairs).count(""), 0u);
}

TEST(Cluster, BarrierIsArriveThenWait) {
  EXPECT_TRUE(faults(FaultKind::ClusterBarrier, [] { sm_cluster_wait(1, 1); }, pairs));
  EXPECT_TRUE(faults(
      FaultKind::ClusterBarrier,
      [] {
        sm_cluster_arrive(1, 0, 1);
        sm_cluster_arrive(2, 0, 1);
      },
      pairs));
  EXPECT_TRUE(faults(FaultKind::ClusterBarrier, [] { sm_cluster_arrive(1, 0, 1); }, pairs));
}

TEST(Cluster, RelaxedArrivalsPublishNothing) {
  auto kernel = [](int32_t relaxed) {
    return [relaxed] {
      void *other = sm_mapa(1, sharedAt(laneIndex() * 4), blockRank() ^ 1);
      store<int32_t>(other, 1);
      sm_cluster_arrive(2, relaxed, 1);
      sm_cluster_wait(3, 1);
      sm_read(4, sharedAt(laneIndex() * 4), 4);
      clusterSync(5);
    };
  };
  EXPECT_TRUE(passes(kernel(0), pairs));
  EXPECT_TRUE(faults(FaultKind::Race, kernel(1), pairs));
}

// The fence releases initialisations through a relaxed arrival, and no other writes.
TEST(Cluster, RelaxedArrivalsPublishFencedInitialisations) {
  auto kernel = [](bool fences) {
    return [fences] {
      if (threadIndex() == 0) {
        sm_mbarrier_init(1, sharedAt(0), 32);
        if (fences)
          sm_fence_mbarrier_init(2);
      }
      sm_warp_sync(3, -1);
      sm_cluster_arrive(4, 1, 1);
      sm_cluster_wait(5, 1);
      sm_mbarrier_arrive_cluster(6, sm_mapa(7, sharedAt(0), blockRank() ^ 1), 1, sm_scope_cta);
      waitParity(sharedAt(0), 0);
      clusterSync(8);
    };
  };
  EXPECT_TRUE(passes(kernel(true), pairs));
  EXPECT_TRUE(faults(FaultKind::Mbarrier, kernel(false), pairs));
}

TEST(Cluster, RemoteArrivalsNeedTheInitialisationFenced) {
  auto kernel = [](bool fences) {
    return [fences] {
      if (threadIndex() == 0) {
        sm_mbarrier_init(1, sharedAt(0), 32);
        if (fences)
          sm_fence_mbarrier_init(2);
      }
      clusterSync(3);
      sm_mbarrier_arrive_cluster(5, sm_mapa(6, sharedAt(0), blockRank() ^ 1), 1, sm_scope_cta);
      waitParity(sharedAt(0), 0);
      clusterSync(7);
    };
  };
  EXPECT_TRUE(passes(kernel(true), pairs));
  EXPECT_TRUE(faults(FaultKind::Mbarrier, kernel(false), pairs));
}

TEST(Cluster, WritesAreSeenAtItsScopeOnly) {
  // Lane 0 publishes what the warp has written into the other block, which waits for that.
  auto kernel = [](int32_t arrives, int32_t waits, bool meets) {
    return [=] {
      if (threadIndex() == 0) {
        sm_mbarrier_init(1, sharedAt(0), 1);
        sm_fence_mbarrier_init(2);
      }
      clusterSync(3);
      store<int32_t>(sm_mapa(5, sharedAt(16 + laneIndex() * 4), blockRank() ^ 1), laneIndex());
      if (meets)
        sm_warp_sync(6, -1);
      if (laneIndex() == 0)
        sm_mbarrier_arrive_cluster(7, sm_mapa(8, sharedAt(0), blockRank() ^ 1), 1, arrives);
      waitParity(sharedAt(0), 0, 9, waits);
      EXPECT_EQ(load<int32_t>(sharedAt(16 + laneIndex() * 4), 10), laneIndex());
      clusterSync(11);
    };
  };
  EXPECT_TRUE(passes(kernel(sm_scope_cluster, sm_scope_cluster, true), pairs));
  EXPECT_TRUE(faults(FaultKind::Race, kernel(sm_scope_cta, sm_scope_cluster, true), pairs));
  EXPECT_TRUE(faults(FaultKind::Race, kernel(sm_scope_cluster, sm_scope_cta, true), pairs));
  EXPECT_TRUE(faults(FaultKind::Race, kernel(sm_scope_cluster, sm_scope_cluster, false), pairs));
}

TEST(Cluster, ReadsAreOverAtItsScopeOnly) {
  // The other block may overwrite what this one has read once it knows that.
  auto kernel = [](int32_t arrives, int32_t waits) {
    return [=] {
      if (threadIndex() == 0) {
        sm_mbarrier_init(1, sharedAt(0), 1);
        sm_fence_mbarrier_init(2);
        store<int32_t>(sharedAt(16), 1);
      }
      clusterSync(3);
      if (threadIndex() != 0)
        return clusterSync(11);
      load<int32_t>(sharedAt(16), 5);
      sm_mbarrier_arrive_cluster(7, sm_mapa(8, sharedAt(0), blockRank() ^ 1), 1, arrives);
      waitParity(sharedAt(0), 0, 9, waits);
      store<int32_t>(sm_mapa(10, sharedAt(16), blockRank() ^ 1), 2);
      clusterSync(11);
    };
  };
  EXPECT_TRUE(passes(kernel(sm_scope_cluster, sm_scope_cluster), pairs));
  EXPECT_TRUE(faults(FaultKind::Race, kernel(sm_scope_cta, sm_scope_cluster), pairs));
  EXPECT_TRUE(faults(FaultKind::Race, kernel(sm_scope_cluster, sm_scope_cta), pairs));
}

TEST(Cluster, WaitsReachTheOwnBlockOnly) {
  EXPECT_TRUE(faults(
      FaultKind::OutOfBounds,
      [] {
        initialise(sharedAt(0), 1);
        clusterSync(3);
        sm_mbarrier_test_wait_parity(5, sm_mapa(6, sharedAt(0), blockRank() ^ 1), 1);
        clusterSync(7);
      },
      pairs));
}

TEST(Cluster, MulticastLandsInEveryBlockOfTheMask) {
  Matrix in(64, 64);
  in.fillSmall(5);
  in.encode(64, 32, Swizzle::B128);
  GlobalMemory memory;
  memory.registerGlobal("in", in.data.data(), in.bytes(), Access::Read);
  // Each block loads half of the rows for both.
  auto kernel = [&](int32_t mask, bool synchronises) {
    return [&, mask, synchronises] {
      uint8_t *bar = sharedAt(8192);
      if (threadIndex() == 0) {
        sm_mbarrier_init(1, bar, 1);
        sm_fence_mbarrier_init(2);
        sm_mbarrier_arrive_expect_tx(3, bar, 8192);
      }
      if (synchronises)
        clusterSync(4);
      if (threadIndex() == 0)
        sm_tma_load(6, sharedAt(blockRank() * 4096), &in.map, bar, 2, 0, blockRank() * 32, 0, 0, 0, mask, 0);
      waitParity(bar, 0);
      for (int32_t row = 0; row < 64; ++row)
        EXPECT_EQ(fromBits(load<uint16_t>(
                      sharedAt(row * 128 + (laneIndex() / 8 ^ row % 8) * 16 + laneIndex() % 8 * 2))),
                  in.at(row, laneIndex()));
      clusterSync(7);
    };
  };
  EXPECT_TRUE(passes(kernel(3, true), memory, pairs));
  EXPECT_TRUE(faults(FaultKind::Mbarrier, kernel(3, false), memory, pairs));
  EXPECT_TRUE(faults(FaultKind::BadCall, kernel(5, true), memory, pairs));
  EXPECT_TRUE(faults(FaultKind::Deadlock, kernel(1, true), memory, pairs));
}

// A block hears of its copies before it has said how many bytes it expects: the count goes below zero, and
// the arrival that is missing keeps the phase open.
TEST(Cluster, MulticastMayArriveBeforeItIsExpected) {
  Matrix in(64, 64);
  in.fillSmall(7);
  in.encode(64, 64, Swizzle::B128);
  GlobalMemory memory;
  memory.registerGlobal("in", in.data.data(), in.bytes(), Access::Read);
  auto kernel = [&](int32_t expected) {
    return [&, expected] {
      uint8_t *bar = sharedAt(8192);
      if (threadIndex() == 0) {
        sm_mbarrier_init(1, bar, 1);
        sm_fence_mbarrier_init(2);
      }
      clusterSync(3);
      // Block 0 copies for both, and waits for its own. Block 1 expects when that has come.
      if (blockRank() == 0 && threadIndex() == 0) {
        sm_mbarrier_arrive_expect_tx(5, bar, 8192);
        sm_tma_load(6, sharedAt(0), &in.map, bar, 2, 0, 0, 0, 0, 0, 3, 0);
      }
      if (blockRank() == 0)
        waitParity(bar, 0);
      clusterSync(7);
      if (blockRank() == 1) {
        if (threadIndex() == 0)
          sm_mbarrier_arrive_expect_tx(9, bar, expected);
        waitParity(bar, 0);
      }
      for (int32_t row = 0; row < 64; ++row)
        EXPECT_EQ(fromBits(load<uint16_t>(
                      sharedAt(row * 128 + (laneIndex() / 8 ^ row % 8) * 16 + laneIndex() % 8 * 2))),
                  in.at(row, laneIndex()));
      clusterSync(10);
    };
  };
  EXPECT_TRUE(passes(kernel(8192), memory, pairs));
  EXPECT_TRUE(faults(FaultKind::Deadlock, kernel(8192 + 16), memory, pairs));
}

} // namespace
} // namespace simulator
