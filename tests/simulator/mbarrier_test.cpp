// mbarriers: counts, phases, transactions, and their misuse.
#include "tests/simulator/launches.h"

namespace simulator {
namespace {

constexpr Shape barrier_warp{32, 4096, 1, 1, 0, false};
constexpr Shape twoWarps{64, 4096, 1, 1, 0, false};

TEST(Mbarrier, CarriesWritesFromArriversToWaiters) {
  auto kernel = [](bool waits) {
    return [waits] {
      uint8_t *bar = sharedAt(0), *data = sharedAt(16);
      initialise(bar, 32);
      if (warpIndex() == 0) {
        store<int32_t>(data + laneIndex() * 4, laneIndex());
        sm_mbarrier_arrive(100, bar, 1);
      } else {
        if (waits)
          waitParity(bar, 0);
        EXPECT_EQ(load<int32_t>(data + laneIndex() * 4), laneIndex());
      }
    };
  };
  EXPECT_TRUE(passes(kernel(true), twoWarps));
  for (const std::string &kind : [&] {
         GlobalMemory none;
         return kindsOver(
             [&] {
               uint8_t *bar = sharedAt(0), *data = sharedAt(16);
               initialise(bar, 32);
               if (warpIndex() == 0) {
                 store<int32_t>(data + laneIndex() * 4, laneIndex());
                 sm_mbarrier_arrive(100, bar, 1);
               } else {
                 sm_read(101, data, 4);
               }
             },
             none, twoWarps);
       }())
    EXPECT_TRUE(kind == "race" || kind == "never written") << kind;
}

TEST(Mbarrier, ParityOneOfAFreshBarrierHasPassed) {
  EXPECT_TRUE(passes(
      [] {
        initialise(sharedAt(0), 1);
        EXPECT_EQ(sm_mbarrier_test_wait_parity(1, sharedAt(0), 1), 1);
        EXPECT_EQ(sm_mbarrier_test_wait_parity(2, sharedAt(0), 0), 0);
      },
      barrier_warp));
}

TEST(Mbarrier, StateFormWaitsForThePhaseOfTheArrival) {
  EXPECT_TRUE(passes(
      [] {
        initialise(sharedAt(0), 32);
        for (int32_t round = 0; round < 3; ++round) {
          const int64_t state = sm_mbarrier_arrive(1, sharedAt(0), 1);
          while (!sm_mbarrier_try_wait(2, sharedAt(0), state, sm_scope_cta)) {
          }
          sm_warp_sync(3, -1);
        }
      },
      barrier_warp));
  EXPECT_TRUE(faults(
      FaultKind::Mbarrier,
      [] {
        initialise(sharedAt(0), 32);
        int64_t first = 0;
        for (int32_t round = 0; round < 3; ++round) {
          const int64_t state = sm_mbarrier_arrive(1, sharedAt(0), 1);
          if (round == 0)
            first = state;
          while (!sm_mbarrier_try_wait(2, sharedAt(0), round == 2 ? first : state, sm_scope_cta)) {
          }
          sm_warp_sync(3, -1);
        }
      },
      barrier_warp));
}

TEST(Mbarrier, ArrivalsBeyondTheCount) {
  auto kernel = [](int32_t count) {
    return [count] {
      initialise(sharedAt(0), 2);
      if (threadIndex() == 0)
        sm_mbarrier_arrive(1, sharedAt(0), count);
    };
  };
  EXPECT_TRUE(passes(kernel(2), barrier_warp));
  EXPECT_TRUE(faults(FaultKind::Mbarrier, kernel(3), barrier_warp));
  EXPECT_TRUE(faults(FaultKind::PendingAtExit, kernel(1), barrier_warp));
}

TEST(Mbarrier, TransactionCountHasARange) {
  auto kernel = [](int32_t times) {
    return [times] {
      initialise(sharedAt(0), 1);
      if (threadIndex() != 0)
        return;
      for (int32_t i = 0; i < times; ++i)
        sm_mbarrier_expect_tx(1, sharedAt(0), (1 << 19));
      for (int32_t i = 0; i < times; ++i)
        sm_mbarrier_complete_tx(2, sharedAt(0), (1 << 19));
    };
  };
  EXPECT_TRUE(passes(kernel(1), barrier_warp));
  EXPECT_TRUE(faults(FaultKind::Mbarrier, kernel(2), barrier_warp));
}

TEST(Mbarrier, BytesExpectedAndNeverSent) {
  EXPECT_TRUE(faults(
      FaultKind::PendingAtExit,
      [] {
        initialise(sharedAt(0), 1);
        if (threadIndex() == 0)
          sm_mbarrier_arrive_expect_tx(1, sharedAt(0), 16);
      },
      barrier_warp));
}

TEST(Mbarrier, MustBeInitialised) {
  EXPECT_TRUE(
      faults(FaultKind::Mbarrier, [] { sm_mbarrier_test_wait_parity(1, sharedAt(0), 0); }, barrier_warp));
}

TEST(Mbarrier, InitialisationMustBeOrderedBeforeUse) {
  // The other threads arrive without a barrier between.
  EXPECT_TRUE(faults(
      FaultKind::Mbarrier,
      [] {
        if (threadIndex() == 0)
          sm_mbarrier_init(1, sharedAt(0), 31);
        else
          sm_mbarrier_arrive(2, sharedAt(0), 1);
      },
      barrier_warp));
}

TEST(Mbarrier, InitialisedTwice) {
  auto kernel = [](bool invalidates) {
    return [invalidates] {
      if (threadIndex() != 0)
        return;
      sm_mbarrier_init(1, sharedAt(0), 1);
      if (invalidates)
        sm_mbarrier_inval(2, sharedAt(0));
      sm_mbarrier_init(3, sharedAt(0), 1);
    };
  };
  EXPECT_TRUE(passes(kernel(true), barrier_warp));
  EXPECT_TRUE(faults(FaultKind::Mbarrier, kernel(false), barrier_warp));
}

TEST(Mbarrier, InvalidatedInAPhase) {
  EXPECT_TRUE(faults(
      FaultKind::Mbarrier,
      [] {
        if (threadIndex() != 0)
          return;
        sm_mbarrier_init(1, sharedAt(0), 2);
        sm_mbarrier_arrive(2, sharedAt(0), 1);
        sm_mbarrier_inval(3, sharedAt(0));
      },
      barrier_warp));
}

TEST(Mbarrier, IsAlignedAndNotData) {
  EXPECT_TRUE(faults(FaultKind::Misaligned, [] { sm_mbarrier_init(1, sharedAt(4), 1); }, barrier_warp));
  EXPECT_TRUE(faults(
      FaultKind::Mbarrier,
      [] {
        initialise(sharedAt(8), 1);
        if (threadIndex() == 0)
          store<int32_t>(sharedAt(12), 1);
      },
      barrier_warp));
  EXPECT_TRUE(passes(
      [] {
        initialise(sharedAt(8), 1);
        if (threadIndex() == 0)
          store<int32_t>(sharedAt(16), 1);
      },
      barrier_warp));
}

TEST(Mbarrier, AStuckPhaseIsADeadlock) {
  EXPECT_TRUE(faults(
      FaultKind::Deadlock,
      [] {
        initialise(sharedAt(0), 2);
        if (threadIndex() == 0)
          sm_mbarrier_arrive(1, sharedAt(0), 1);
        waitParity(sharedAt(0), 0);
      },
      barrier_warp));
}

TEST(Mbarrier, PollingForEverIsADeadlock) {
  GlobalMemory none;
  EXPECT_EQ(kindsOver(
                [] {
                  initialise(sharedAt(0), 1);
                  while (!sm_mbarrier_test_wait_parity(1, sharedAt(0), 0)) {
                  }
                },
                none, barrier_warp, 2),
            std::set<std::string>{"deadlock"});
}

TEST(Mbarrier, AWaiterMayNotSlipTwoPhases) {
  // Nothing holds warp 0 back from completing the next phase before warp 1 has looked.
  GlobalMemory none;
  const std::set<std::string> kinds = kindsOver(
      [] {
        initialise(sharedAt(0), 1);
        if (warpIndex() == 0) {
          if (laneIndex() == 0)
            for (int32_t phase = 0; phase < 6; ++phase)
              sm_mbarrier_arrive(1, sharedAt(0), 1);
        } else {
          for (int32_t phase = 0; phase < 6; ++phase)
            waitParity(sharedAt(0), phase & 1, 2);
        }
      },
      none, twoWarps, 32);
  EXPECT_TRUE(kinds.count("mbarrier") || kinds.count("deadlock"));
}

} // namespace
} // namespace simulator
