// Plain accesses: bounds, races, never-written bytes, global regions, dependent launches; barriers and warps.
#include "tests/simulator/launches.h"

#include <cstring>

namespace simulator {
namespace {

constexpr Shape accessing_warp{32, 4096, 1, 1, 0, false};
constexpr Shape four_warps{128, 4096, 1, 1, 0, false};

TEST(SharedMemory, Bounds) {
  EXPECT_TRUE(passes([] { store<int32_t>(sharedAt(4096 - 128) + threadIndex() * 4, 1); }, accessing_warp));
  EXPECT_TRUE(faults(
      FaultKind::OutOfBounds, [] { store<int32_t>(sharedAt(4096 - 124) + threadIndex() * 4, 1); },
      accessing_warp));
  EXPECT_TRUE(faults(FaultKind::OutOfBounds, [] { sm_write(1, sharedAt(-4), 4); }, accessing_warp));
  EXPECT_TRUE(faults(FaultKind::Misaligned, [] { sm_read(1, sharedAt(2), 4); }, accessing_warp));
}

TEST(SharedMemory, NeverWritten) {
  EXPECT_TRUE(faults(FaultKind::NeverWritten, [] { sm_read(1, sharedAt(0), 4); }, accessing_warp));
  // Half of the word is.
  EXPECT_TRUE(faults(
      FaultKind::NeverWritten,
      [] {
        if (threadIndex() == 0) {
          store<int16_t>(sharedAt(0), 1);
          sm_read(1, sharedAt(0), 4);
        }
      },
      accessing_warp));
}

TEST(SharedMemory, RacesBetweenWarps) {
  auto kernel = [](bool synchronises) {
    return [synchronises] {
      store<int32_t>(sharedAt(threadIndex() * 4), threadIndex());
      if (synchronises)
        barrier();
      store<int32_t>(sharedAt((127 - threadIndex()) * 4), threadIndex());
    };
  };
  EXPECT_TRUE(passes(kernel(true), four_warps));
  EXPECT_TRUE(faults(FaultKind::Race, kernel(false), four_warps));
}

TEST(SharedMemory, WritesAfterReadsNeedABarrierToo) {
  auto kernel = [](bool synchronises) {
    return [synchronises] {
      store<int32_t>(sharedAt(threadIndex() * 4), threadIndex());
      barrier();
      load<int32_t>(sharedAt((127 - threadIndex()) * 4));
      if (synchronises)
        barrier();
      store<int32_t>(sharedAt(threadIndex() * 4), 0);
    };
  };
  EXPECT_TRUE(passes(kernel(true), four_warps));
  EXPECT_TRUE(faults(FaultKind::Race, kernel(false), four_warps));
}

TEST(SharedMemory, NeighbouringBytesDoNotRace) {
  EXPECT_TRUE(passes([] { store<uint8_t>(sharedAt(threadIndex()), 1); }, four_warps));
}

TEST(SharedMemory, AtomicsRaceWithPlainAccessesOnly) {
  EXPECT_TRUE(passes(
      [] {
        if (threadIndex() == 0)
          store<int32_t>(sharedAt(0), 0);
        barrier();
        sm_atomic(1, sharedAt(0), 4);
      },
      four_warps));
  EXPECT_TRUE(faults(
      FaultKind::Race,
      [] {
        if (threadIndex() == 0)
          store<int32_t>(sharedAt(0), 0);
        barrier();
        if (threadIndex() == 0)
          sm_read(2, sharedAt(0), 4);
        else
          sm_atomic(1, sharedAt(0), 4);
      },
      four_warps));
}

// Of several updates all have to be ordered before what reads the sum, also those before the reader's own.
TEST(SharedMemory, ReadersOfASumMissNoUpdate) {
  auto kernel = [](bool synchronises) {
    return [synchronises] {
      if (threadIndex() == 0)
        store<int32_t>(sharedAt(0), 0);
      barrier();
      if (threadIndex() % 64 == 0)
        sm_atomic(1, sharedAt(0), 4);
      if (synchronises)
        barrier();
      if (threadIndex() == 64)
        sm_read(2, sharedAt(0), 4);
    };
  };
  EXPECT_TRUE(passes(kernel(true), four_warps));
  EXPECT_TRUE(faults(FaultKind::Race, kernel(false), four_warps));
}

TEST(GlobalMemoryTest, RowsAreRegionsOfTheirOwn) {
  std::vector<int32_t> out(32 * 3), other(32);
  GlobalMemory memory;
  memory.registerRows("out", out.data(), 3, 64, 128, Access::Write); // half of each row
  memory.registerGlobal("other", other.data(), 128, Access::Read);
  EXPECT_TRUE(passes(
      [&] {
        if (threadIndex() < 16)
          store<int32_t>(&out[size_t(32 + threadIndex())], 1);
      },
      memory, accessing_warp));
  EXPECT_EQ(memory.neverWritten("out row 0"), 64);
  EXPECT_EQ(memory.neverWritten("out row 1"), 0);
  EXPECT_EQ(memory.neverWrittenAt(&out[64]), 64);
  EXPECT_THROW(memory.neverWrittenAt(&out[1]), std::invalid_argument);
  EXPECT_TRUE(faults(FaultKind::OutOfBounds, [&] { sm_write(1, &out[16], 4); }, memory, accessing_warp));
  GlobalMemory overlapping;
  overlapping.registerGlobal("middle", &out[40], 4, Access::Read);
  EXPECT_THROW(overlapping.registerRows("out", out.data(), 3, 64, 128, Access::Write), std::invalid_argument);
  EXPECT_THROW(overlapping.registerRows("out", out.data(), 3, 64, 32, Access::Write), std::invalid_argument);
}

TEST(GlobalMemoryTest, RegionsAndTheirAccess) {
  std::vector<int32_t> in(32, 7), out(32);
  GlobalMemory memory;
  memory.registerGlobal("in", in.data(), 128, Access::Read);
  memory.registerGlobal("out", out.data(), 128, Access::Write);
  EXPECT_TRUE(
      passes([&] { store<int32_t>(&out[size_t(threadIndex())], load<int32_t>(&in[size_t(threadIndex())])); },
             memory, accessing_warp));
  EXPECT_EQ(memory.neverWritten("out"), 0);
  EXPECT_TRUE(faults(FaultKind::OutOfBounds, [&] { sm_write(1, &in[0], 4); }, memory, accessing_warp));
  EXPECT_TRUE(faults(FaultKind::OutOfBounds, [&] { sm_read(1, in.data() + 32, 4); }, memory, accessing_warp));
  EXPECT_TRUE(faults(FaultKind::NeverWritten, [&] { sm_read(1, &out[0], 4); }, memory, accessing_warp));
  EXPECT_TRUE(faults(FaultKind::GlobalConflict, [&] { sm_write(1, &out[0], 4); }, memory, accessing_warp));
  EXPECT_THROW(memory.registerGlobal("again", in.data() + 1, 4, Access::Read), std::invalid_argument);
}

TEST(GlobalMemoryTest, TheStackIsTheThreadsOwn) {
  EXPECT_TRUE(passes(
      [] {
        // Not a variable: the address sanitizer would keep that elsewhere.
        void *local = static_cast<uint8_t *>(__builtin_frame_address(0)) - 16;
        sm_write(1, local, 4);
        sm_read(2, local, 4);
      },
      accessing_warp));
}

TEST(DependentLaunch, GlobalMemoryOnlyAfterTheWait) {
  std::vector<int32_t> in(32, 7), weights(32, 7);
  GlobalMemory memory;
  memory.registerGlobal("in", in.data(), 128, Access::Read);
  memory.registerGlobal("weights", weights.data(), 128, Access::Read, true);
  Shape dependent = accessing_warp;
  dependent.dependent_launch = true;
  auto kernel = [&](bool waits) {
    return [&, waits] {
      sm_read(1, &weights[0], 4);
      if (waits)
        sm_griddepcontrol_wait(2);
      sm_read(3, &in[0], 4);
    };
  };
  EXPECT_TRUE(passes(kernel(true), memory, dependent));
  EXPECT_TRUE(passes(kernel(false), memory, accessing_warp));
  EXPECT_TRUE(faults(FaultKind::DependentLaunch, kernel(false), memory, dependent));
}

TEST(NamedBarrier, CountsAndNumbers) {
  EXPECT_TRUE(passes(
      [] {
        if (warpIndex() < 2)
          sm_barrier(1, 1, 64);
        else if (warpIndex() == 2)
          sm_barrier_arrive(2, 2, 64);
        else
          sm_barrier(3, 2, 64);
      },
      four_warps));
  EXPECT_TRUE(faults(FaultKind::NamedBarrier, [] { sm_barrier(1, 16, 128); }, four_warps));
  EXPECT_TRUE(faults(FaultKind::NamedBarrier, [] { sm_barrier(1, 1, 100); }, four_warps));
  EXPECT_TRUE(
      faults(FaultKind::NamedBarrier, [] { sm_barrier(1, 1, warpIndex() == 0 ? 64 : 128); }, four_warps));
  EXPECT_TRUE(faults(
      FaultKind::Deadlock,
      [] {
        if (warpIndex() != 3)
          sm_barrier(1, 1, 128);
      },
      four_warps));
}

TEST(NamedBarrier, ArriveOrdersTheWaiterAfterTheArriverOnly) {
  auto kernel = [](bool reversed) {
    return [reversed] {
      if (warpIndex() == 0) {
        store<int32_t>(sharedAt(threadIndex() * 4), 1);
        sm_barrier_arrive(1, 1, 64);
        if (reversed)
          sm_write(2, sharedAt(256 + laneIndex() * 4), 4);
      } else if (warpIndex() == 1) {
        if (reversed)
          sm_write(3, sharedAt(256 + laneIndex() * 4), 4);
        sm_barrier(4, 1, 64);
        load<int32_t>(sharedAt(laneIndex() * 4));
      }
    };
  };
  EXPECT_TRUE(passes(kernel(false), four_warps));
  EXPECT_TRUE(faults(FaultKind::Race, kernel(true), four_warps));
}

TEST(Warp, AlignedInstructionsNeedAllLanesAtOneSite) {
  EXPECT_TRUE(
      faults(FaultKind::Divergence, [] { sm_barrier(laneIndex() < 16 ? 1 : 2, 0, 0); }, accessing_warp));
  EXPECT_TRUE(faults(
      FaultKind::Divergence,
      [] {
        if (laneIndex() != 5)
          sm_barrier(1, 0, 0);
      },
      accessing_warp));
  EXPECT_TRUE(passes([] { sm_barrier(1, 0, 0); }, accessing_warp));
}

TEST(Warp, ElectShuffleVote) {
  EXPECT_TRUE(passes(
      [] {
        EXPECT_EQ(sm_elect(1, -1), laneIndex() == 0);
        int32_t in_range = -1;
        EXPECT_EQ(sm_shuffle(2, sm_shuffle_bfly, -1, laneIndex() * 3, 5, 31, &in_range),
                  (laneIndex() ^ 5) * 3);
        EXPECT_EQ(in_range, 1);
        EXPECT_EQ(sm_shuffle(3, sm_shuffle_idx, -1, laneIndex(), 9, 31, nullptr), 9);
        EXPECT_EQ(sm_shuffle(4, sm_shuffle_down, -1, laneIndex(), 1, 31, &in_range),
                  laneIndex() == 31 ? 31 : laneIndex() + 1);
        EXPECT_EQ(in_range, laneIndex() != 31);
        EXPECT_EQ(sm_shuffle(5, sm_shuffle_up, -1, laneIndex(), 2, 0, nullptr),
                  laneIndex() < 2 ? laneIndex() : laneIndex() - 2);
        EXPECT_EQ(sm_vote(6, sm_vote_ballot, -1, laneIndex() < 8), 0xff);
        EXPECT_EQ(sm_vote(7, sm_vote_all, -1, 1), 1);
        EXPECT_EQ(sm_vote(8, sm_vote_any, -1, 0), 0);
        EXPECT_EQ(sm_vote(9, sm_vote_uniform, -1, laneIndex() == 0), 0);
      },
      accessing_warp));
}

TEST(Warp, SyncOrdersItsLanes) {
  auto kernel = [](bool synchronises) {
    return [synchronises] {
      store<int32_t>(sharedAt(laneIndex() * 4), 1);
      if (synchronises)
        sm_warp_sync(1, -1);
      sm_write(2, sharedAt((31 - laneIndex()) * 4), 4);
    };
  };
  EXPECT_TRUE(passes(kernel(true), accessing_warp));
  EXPECT_TRUE(faults(FaultKind::Race, kernel(false), accessing_warp));
}

TEST(Registers, ArePooled) {
  const Shape shape{384, 4096, 1, 1, 168, false};
  auto kernel = [](int32_t producer, int32_t consumer) {
    return [producer, consumer] {
      sm_setmaxnreg(warpIndex() < 4 ? 1 : 2, warpIndex() < 4 ? producer : consumer, warpIndex() >= 4);
    };
  };
  EXPECT_TRUE(passes(kernel(40, 232), shape));
  EXPECT_TRUE(faults(FaultKind::Deadlock, kernel(48, 232), shape));
  EXPECT_TRUE(faults(FaultKind::Registers, kernel(44, 232), shape));
  EXPECT_TRUE(faults(FaultKind::Registers, kernel(176, 232), shape));
  EXPECT_TRUE(faults(FaultKind::Registers, kernel(40, 160), shape));
  Shape uncapped = shape;
  uncapped.registers = 0;
  EXPECT_TRUE(faults(FaultKind::Registers, kernel(40, 232), uncapped));
  EXPECT_TRUE(faults(
      FaultKind::Registers,
      [] {
        if (warpIndex() == 1)
          sm_setmaxnreg(1, 40, 0);
      },
      shape));
}

TEST(Registers, NeedTheWarpgroupToSynchroniseBetweenChanges) {
  const Shape shape{128, 4096, 1, 1, 168, false};
  auto kernel = [](bool synchronises) {
    return [synchronises] {
      sm_setmaxnreg(1, 40, 0);
      if (synchronises)
        barrier();
      sm_setmaxnreg(2, 168, 1);
    };
  };
  EXPECT_TRUE(passes(kernel(true), shape));
  EXPECT_TRUE(faults(FaultKind::Registers, kernel(false), shape));
}

TEST(Trap, IsAFault) {
  EXPECT_TRUE(faults(FaultKind::Trap, [] { sm_trap(1); }, accessing_warp));
}

TEST(Undefined, IsAFault) {
  for (int32_t what :
       {sm_undefined_division, sm_undefined_shift, sm_undefined_element, sm_undefined_unreachable})
    EXPECT_TRUE(faults(FaultKind::Undefined, [=] { sm_undefined(1, what); }, accessing_warp));
  EXPECT_TRUE(faults(FaultKind::BadCall, [] { sm_undefined(1, 4); }, accessing_warp));
}

TEST(Calls, RefuseWhatNoInstructionHas) {
  EXPECT_TRUE(faults(FaultKind::BadCall, [] { sm_special_register(1, 999); }, accessing_warp));
  EXPECT_TRUE(faults(FaultKind::BadCall, [] { sm_cp_async(1, sharedAt(0), nullptr, 5, 0); }, accessing_warp));
}

TEST(Launches, AreChecked) {
  GlobalMemory memory;
  Launch launch;
  EXPECT_THROW(run(launch, memory), std::invalid_argument);
  launch.kernel = [] {};
  EXPECT_TRUE(run(launch, memory).ok());
  launch.threads = 100;
  EXPECT_THROW(run(launch, memory), std::invalid_argument);
  launch.threads = 128;
  launch.shared_bytes = 228 * 1024;
  EXPECT_THROW(run(launch, memory), std::invalid_argument);
  launch.shared_bytes = 0;
  launch.cluster = 2;
  EXPECT_THROW(run(launch, memory), std::invalid_argument);
}

TEST(Launches, EndlessOnesEnd) {
  GlobalMemory memory;
  Launch launch;
  launch.most_steps = 1000;
  launch.threads = 32;
  launch.shared_bytes = 64;
  launch.kernel = [] {
    for (;;)
      sm_nanosleep(1);
  };
  const Report report = run(launch, memory);
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults[0].kind, FaultKind::Endless);
}

TEST(Launches, RoundsOfALoopEndTooAndStartAnewWithEveryTurn) {
  GlobalMemory memory;
  Launch launch;
  launch.most_steps = 1000;
  launch.threads = 32;
  launch.shared_bytes = 64;
  launch.kernel = [] {
    for (;;)
      sm_loop(1);
  };
  const Report endless = run(launch, memory);
  ASSERT_EQ(endless.faults.size(), 1u);
  EXPECT_EQ(endless.faults[0].kind, FaultKind::Endless);
  EXPECT_EQ(endless.faults[0].site, 1);

  launch.kernel = [] {
    for (int turn = 0; turn < 4; ++turn) {
      for (int round = 0; round < 900; ++round)
        sm_loop(1);
      sm_warp_sync(2, -1);
    }
  };
  // A turn of the last lane to meet goes on where the meeting was: two at most.
  launch.most_steps = 4000;
  EXPECT_TRUE(run(launch, memory).ok());
}

TEST(Launches, CountWhatTheyDid) {
  GlobalMemory memory;
  Launch launch;
  launch.threads = 32;
  launch.kernel = [] { sm_elect(3, -1); };
  const Report report = run(launch, memory);
  EXPECT_EQ(report.statistics.calls, 32);
  ASSERT_EQ(report.statistics.site_reached.size(), 4u);
  EXPECT_EQ(report.statistics.site_reached[3], 1);
  EXPECT_EQ(report.statistics.site_reached[2], 0);
}

// Half of an f64 may look like the value of an accumulator in flight.
TEST(SharedMemory, HalvesOfWideNumbersAreNoSums) {
  const auto kernel = [](auto write) {
    return [write] {
      constexpr uint64_t number = 0x400000007fed0080;
      uint8_t *place = sharedAt(laneIndex() * 8);
      write(1, place, 8);
      std::memcpy(place, &number, 8);
    };
  };
  EXPECT_TRUE(passes(kernel(sm_write_f64), accessing_warp));
  EXPECT_TRUE(faults(FaultKind::UnsettledAccumulator, kernel(sm_write), accessing_warp));
}

} // namespace
} // namespace simulator
