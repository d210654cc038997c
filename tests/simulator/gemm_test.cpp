// A whole pipelined product: bulk loads, mbarriers, wgmma, stmatrix, bulk stores, and what happens when a
// part is missing.
#include "tests/simulator/launches.h"

#include <thread>
#include <utility>

namespace simulator {
namespace {

constexpr uint64_t descriptor(uint64_t address, uint64_t leading, uint64_t stride, uint64_t mode) {
  return (address & 0x3ffff) >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | mode << 62;
}

enum class Leave {
  Nothing,
  FullWait,
  EmptyWait,
  EmptyArrive,
  ExpectedBytes,
  WgmmaFence,
  WgmmaWait,
  Commit,
  ProxyFence,
  EpilogueBarrier,
  BulkWait,
  BulkCommit,
  InitFence,
  InitBarrier,
  LateRelease,
  FullParity,
  EmptyParity,
  EmptyCount,
};

// Y (M x N) = X (M x K) W (K x N): warp 4 is the producer, warps 0 to 3 the consumers; 64 x 64 tiles, two
// stages.
struct Gemm {
  static constexpr int32_t stages = 2, stageBytes = 16384;
  int64_t m = 128, k = 256, n = 128;
  Matrix x{m, k}, w{k, n}, y{m, n};
  GlobalMemory memory;

  Gemm() {
    x.fillSmall(1);
    w.fillSmall(2);
    x.encode(64, 64, Swizzle::B128);
    w.encode(64, 64, Swizzle::B128);
    y.encode(64, 64, Swizzle::B128);
    memory.registerGlobal("X", x.data.data(), x.bytes(), Access::Read);
    memory.registerGlobal("W", w.data.data(), w.bytes(), Access::Read);
    memory.registerGlobal("Y", y.data.data(), y.bytes(), Access::Write);
  }

  Shape shape() const { return {160, 1024 * 64, 2, 1, 0, false}; }

  void kernel(Leave leave) const {
    uint8_t *base = sharedAt(0), *image = sharedAt(stages * stageBytes),
            *barriers = sharedAt(stages * stageBytes + 8192);
    auto full = [&](int32_t stage) { return barriers + stage * 8; };
    auto empty = [&](int32_t stage) { return barriers + 64 + stage * 8; };
    const int32_t warp = warpIndex(), lane = laneIndex(), block = sm_special_register(0, sm_ctaid_x);
    if (threadIndex() == 0) {
      for (int32_t stage = 0; stage < stages; ++stage) {
        sm_mbarrier_init(1, full(stage), 1);
        sm_mbarrier_init(2, empty(stage), leave == Leave::EmptyCount ? 3 : 4);
      }
      if (leave != Leave::InitFence)
        sm_fence_mbarrier_init(3);
    }
    if (leave != Leave::InitBarrier)
      sm_barrier(4, 0, 0);
    const int64_t tiles = m / 64 * (n / 64), steps = k / 64;
    int32_t stage = 0, parity = 0;
    if (warp == 4) {
      if (!sm_elect(5, -1))
        return;
      for (int64_t tile = block; tile < tiles; tile += 2)
        for (int64_t step = 0; step < steps; ++step) {
          if (leave != Leave::EmptyWait)
            waitParity(empty(stage), leave == Leave::EmptyParity ? 1 : parity ^ 1, 6);
          sm_mbarrier_arrive_expect_tx(7, full(stage),
                                       leave == Leave::ExpectedBytes ? stageBytes / 2 : stageBytes);
          uint8_t *at = base + stage * stageBytes;
          sm_tma_load(8, at, &x.map, full(stage), 2, int32_t(step * 64), int32_t(tile / (n / 64) * 64), 0, 0,
                      0, -1, 0);
          sm_tma_load(9, at + 8192, &w.map, full(stage), 2, int32_t(tile % (n / 64) * 64), int32_t(step * 64),
                      0, 0, 0, -1, 0);
          if (++stage == stages)
            stage = 0, parity ^= 1;
        }
      return;
    }
    for (int64_t tile = block; tile < tiles; tile += 2) {
      float sums[32] = {};
      for (int64_t step = 0; step < steps; ++step) {
        if (leave != Leave::FullWait)
          waitParity(full(stage), leave == Leave::FullParity ? 0 : parity, 10);
        if (leave == Leave::LateRelease && lane == 0)
          sm_mbarrier_arrive(11, empty(stage), 1);
        if (leave != Leave::WgmmaFence)
          sm_wgmma_fence(12);
        const auto at = uint64_t(reinterpret_cast<uintptr_t>(base)) + uint64_t(stage * stageBytes);
        for (uint64_t depth = 0; depth < 4; ++depth)
          sm_wgmma_mma(13, sums, int64_t(descriptor(at + depth * 32, 0, 1024, 1)),
                       int64_t(descriptor(at + 8192 + depth * 2048, 8192, 1024, 1)), 64,
                       sm_wgmma_b_mn_major | sm_wgmma_accumulate);
        if (leave != Leave::Commit)
          sm_wgmma_commit_group(14);
        if (leave != Leave::WgmmaWait)
          sm_wgmma_wait_group(15, 0);
        if (lane == 0 && leave != Leave::EmptyArrive && leave != Leave::LateRelease)
          sm_mbarrier_arrive(16, empty(stage), 1);
        if (++stage == stages)
          stage = 0, parity ^= 1;
      }
      sm_settle(17, sums, 32);
      if (threadIndex() == 0 && leave != Leave::BulkWait)
        sm_bulk_wait_group(18, 0, 1);
      sm_barrier(19, 1, 128);
      for (int32_t group = 0; group < 4; ++group) {
        uint32_t pairs[4];
        for (int32_t i = 0; i < 4; ++i)
          pairs[i] = uint32_t(bf16(sums[group * 8 + i * 2])) | uint32_t(bf16(sums[group * 8 + i * 2 + 1]))
                                                                   << 16;
        // Lanes give the rows of matrices 0, 1 (rows 0-7 and 8-15), then of the next eight columns.
        const int32_t row = warp * 16 + lane % 16, chunk = group * 2 + lane / 16;
        sm_stmatrix(20, image + row * 128 + ((chunk ^ row % 8) * 16), pairs, 4, 0);
      }
      if (leave != Leave::ProxyFence)
        sm_fence_proxy(21, sm_proxy_async_shared_cta);
      if (leave != Leave::EpilogueBarrier)
        sm_barrier(22, 1, 128);
      if (threadIndex() == 0) {
        sm_tma_store(23, &y.map, image, 2, int32_t(tile % (n / 64) * 64), int32_t(tile / (n / 64) * 64), 0, 0,
                     0);
        if (leave != Leave::BulkCommit)
          sm_bulk_commit_group(24);
      }
    }
    if (threadIndex() == 0)
      sm_bulk_wait_group(25, 0, 1);
  }

  std::set<std::string> leaveOut(Leave leave) {
    return kindsOver([&] { kernel(leave); }, memory, shape(), 6);
  }
};

TEST(Gemm, IsExactForEverySeed) {
  Gemm gemm;
  ASSERT_TRUE(passes([&] { gemm.kernel(Leave::Nothing); }, gemm.memory, gemm.shape()));
  EXPECT_EQ(gemm.memory.neverWritten("Y"), 0);
  for (int64_t row = 0; row < gemm.m; ++row)
    for (int64_t column = 0; column < gemm.n; ++column) {
      float expected = 0;
      for (int64_t depth = 0; depth < gemm.k; ++depth)
        expected += gemm.x.at(row, depth) * gemm.w.at(depth, column);
      ASSERT_EQ(gemm.y.at(row, column), fromBits(bf16(expected))) << row << ", " << column;
    }
}

TEST(Gemm, RunsOnSeveralThreadsOfTheProcess) {
  std::vector<std::thread> workers;
  for (int32_t worker = 0; worker < 3; ++worker)
    workers.emplace_back([] {
      Gemm gemm;
      EXPECT_TRUE(passes([&] { gemm.kernel(Leave::Nothing); }, gemm.memory, gemm.shape()));
    });
  for (std::thread &worker : workers)
    worker.join();
}

TEST(Gemm, ASeedMeansOneRun) {
  auto switches = [](uint64_t seed) {
    Gemm gemm;
    Launch launch;
    launch.kernel = [&] { gemm.kernel(Leave::Nothing); };
    launch.grid = 2;
    launch.threads = 160;
    launch.shared_bytes = gemm.shape().shared_bytes;
    launch.seed = seed;
    const Report report = run(launch, gemm.memory);
    return std::make_pair(report.statistics.switches, report.statistics.calls);
  };
  EXPECT_EQ(switches(5), switches(5));
  EXPECT_NE(switches(5), switches(6));
}

TEST(Gemm, EveryPartIsMissedWhateverTheSeed) {
  auto caught = [](Leave leave, std::set<std::string> as) {
    for (const std::string &kind : Gemm().leaveOut(leave))
      EXPECT_TRUE(as.count(kind)) << "part " << int(leave) << ": '" << kind << "'";
  };
  caught(Leave::FullWait, {"race", "never written"});
  caught(Leave::EmptyWait, {"race", "overwrite", "mbarrier"});
  caught(Leave::EmptyArrive, {"deadlock"});
  caught(Leave::ExpectedBytes, {"mbarrier", "never written", "race"});
  caught(Leave::WgmmaFence, {"missing wgmma fence"});
  caught(Leave::WgmmaWait, {"overwrite"});
  caught(Leave::Commit, {"overwrite", "unsettled accumulator", "pending at exit"});
  caught(Leave::ProxyFence, {"missing proxy fence"});
  caught(Leave::EpilogueBarrier, {"race", "never written"});
  caught(Leave::BulkWait, {"overwrite"});
  caught(Leave::BulkCommit, {"overwrite", "pending at exit"});
  caught(Leave::InitFence, {"mbarrier"});
  caught(Leave::InitBarrier, {"mbarrier"});
  caught(Leave::LateRelease, {"overwrite", "race"});
  caught(Leave::FullParity,
         {"race", "never written", "deadlock", "overwrite", "mbarrier", "pending at exit"});
  caught(Leave::EmptyParity, {"race", "overwrite", "mbarrier", "deadlock"});
  caught(Leave::EmptyCount, {"race", "overwrite", "mbarrier"});
}

} // namespace
} // namespace simulator
