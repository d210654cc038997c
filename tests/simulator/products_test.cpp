// wgmma in every operand layout, its descriptors, fences and waits.
#include "tests/simulator/wgmma_operands.h"

namespace simulator {
namespace {

TEST(Wgmma, ReadsEveryLayoutOfItsOperands) {
  for (Swizzle swizzle : {Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128})
    for (bool mn_major : {false, true}) {
      Options a, b;
      a.a = {swizzle, mn_major};
      EXPECT_TRUE(passes([&] { product(a); }, warpgroup)) << "A " << int(swizzle) << mn_major;
      b.b = {swizzle, mn_major};
      EXPECT_TRUE(passes([&] { product(b); }, warpgroup)) << "B " << int(swizzle) << mn_major;
    }
}

TEST(Wgmma, TakesEveryWidthAndSign) {
  for (int32_t n : {8, 24, 64, 104, 256}) {
    Options o;
    o.n = n;
    o.b = {Swizzle::None, true};
    EXPECT_TRUE(passes([&] { product(o); }, warpgroup)) << n;
  }
  for (int32_t flags :
       {0, int(sm_wgmma_accumulate) | int(sm_wgmma_negate_a),
        int(sm_wgmma_accumulate) | int(sm_wgmma_negate_b), int(sm_wgmma_negate_a) | int(sm_wgmma_negate_b)}) {
    Options o;
    o.flags = flags;
    EXPECT_TRUE(passes([&] { product(o); }, warpgroup)) << flags;
  }
  Options wide;
  wide.n = 260;
  EXPECT_TRUE(faults(
      FaultKind::BadDescriptor,
      [] {
        sm_wgmma_fence(1);
        float d[130] = {};
        sm_wgmma_mma(2, d, 0, 0, 260, sm_wgmma_accumulate);
      },
      warpgroup));
}

TEST(Wgmma, TakesF16) {
  Options o;
  o.flags = sm_wgmma_accumulate | sm_wgmma_f16;
  EXPECT_TRUE(passes([&] { product(o); }, warpgroup));
}

TEST(Wgmma, HandlesAreGoodForNothingElse) {
  enum Misuse { None, Stmatrix, Swapped, SettledTwice, AddedToOnceSettled };
  auto kernel = [](Misuse misuse) {
    return [misuse] {
      Options o;
      fillOperand('A', 0, 64, o.a);
      fillOperand('B', 16384, o.n, o.b);
      sm_fence_proxy(1, sm_proxy_async_shared_cta);
      barrier();
      float d[32] = {}, kept[32];
      auto multiply = [&](int32_t site, float *into) {
        sm_wgmma_mma(site, into, int64_t(describe(0, 64, o.a)), int64_t(describe(16384, 64, o.b)), 64,
                     sm_wgmma_b_mn_major | sm_wgmma_accumulate);
        sm_wgmma_commit_group(site + 1);
        sm_wgmma_wait_group(site + 2, 0);
      };
      sm_wgmma_fence(2);
      multiply(3, d);
      std::copy(std::begin(d), std::end(d), kept);
      if (misuse == Stmatrix) {
        uint32_t pair = uint32_t(bf16(-d[0])) | uint32_t(bf16(-d[1])) << 16;
        sm_stmatrix(10, sharedAt(40960 + warpIndex() * 128 + laneIndex() % 8 * 16), &pair, 1, 0);
      }
      if (misuse == Swapped)
        std::swap(d[3], d[4]);
      sm_settle(11, d, 32);
      if (misuse == SettledTwice)
        sm_settle(12, kept, 32);
      if (misuse == AddedToOnceSettled)
        multiply(13, kept);
    };
  };
  EXPECT_TRUE(passes(kernel(None), warpgroup));
  for (Misuse misuse : {Stmatrix, Swapped, SettledTwice, AddedToOnceSettled})
    EXPECT_TRUE(faults(FaultKind::UnsettledAccumulator, kernel(misuse), warpgroup)) << misuse;
}

TEST(Wgmma, OverwritesWhateverItsRegistersHeld) {
  EXPECT_TRUE(passes(
      [] {
        Options o;
        fillOperand('A', 0, 64, o.a);
        fillOperand('B', 16384, o.n, o.b);
        sm_fence_proxy(1, sm_proxy_async_shared_cta);
        barrier();
        float d[32] = {}, stale[32];
        for (int32_t round = 0; round < 2; ++round) {
          sm_wgmma_fence(2);
          float *into = round == 0 ? d : stale;
          sm_wgmma_mma(3, into, int64_t(describe(0, 64, o.a)), int64_t(describe(16384, 64, o.b)), 64,
                       sm_wgmma_b_mn_major);
          if (round == 0)
            std::copy(std::begin(d), std::end(d), stale);
          sm_wgmma_commit_group(4);
          sm_wgmma_wait_group(5, 0);
          sm_settle(6, into, 32);
        }
        for (int32_t i = 0; i < 32; ++i)
          EXPECT_EQ(stale[i], d[i]);
      },
      warpgroup));
}

TEST(Wgmma, TakesAFromRegisters) {
  Options o;
  o.fromRegisters = true;
  EXPECT_TRUE(passes([&] { product(o); }, warpgroup));
}

TEST(Wgmma, NeedsItsFencesAndWaits) {
  auto with = [](auto change) {
    Options o;
    change(o);
    return [o] { product(o); };
  };
  EXPECT_TRUE(faults(FaultKind::MissingWgmmaFence, with([](Options &o) { o.fence = false; }), warpgroup));
  EXPECT_TRUE(faults(FaultKind::UnsettledAccumulator, with([](Options &o) { o.wait = false; }), warpgroup));
  EXPECT_TRUE(faults(FaultKind::UnsettledAccumulator, with([](Options &o) { o.commit = false; }), warpgroup));
  EXPECT_TRUE(
      faults(FaultKind::MissingProxyFence, with([](Options &o) { o.proxyFence = false; }), warpgroup));
  EXPECT_TRUE(faults(FaultKind::UnsettledAccumulator, with([](Options &o) { o.settle = false; }), warpgroup));
}

TEST(Wgmma, DescriptorsAreTakenAtTheirWord) {
  auto with = [](uint64_t flipA, uint64_t flipB) {
    return [=] {
      Options o;
      o.flipA = flipA;
      o.flipB = flipB;
      // Wrong values are for the reader of the result to notice; here only what the model says.
      fillOperand('A', 0, 64, o.a);
      fillOperand('B', 16384, o.n, o.b);
      sm_fence_proxy(1, sm_proxy_async_shared_cta);
      barrier();
      float d[32] = {};
      sm_wgmma_fence(2);
      sm_wgmma_mma(3, d, int64_t(describe(0, 64, o.a) ^ flipA), int64_t(describe(16384, o.n, o.b) ^ flipB),
                   64, sm_wgmma_b_mn_major | sm_wgmma_accumulate);
      sm_wgmma_commit_group(4);
      sm_wgmma_wait_group(5, 0);
      sm_settle(6, d, 32);
    };
  };
  EXPECT_TRUE(passes(with(0, 0), warpgroup));
  EXPECT_TRUE(faults(FaultKind::BadDescriptor, with(uint64_t(1) << 49, 0), warpgroup));
  EXPECT_TRUE(faults(FaultKind::BadDescriptor, with(uint64_t(1) << 14, 0), warpgroup));
  EXPECT_TRUE(faults(FaultKind::BadDescriptor, with(8, 0), warpgroup));
  EXPECT_TRUE(faults(FaultKind::NeverWritten, with(0, uint64_t(1) << 42), warpgroup));
  EXPECT_TRUE(faults(FaultKind::OutOfBounds, with(uint64_t(1) << 13, 0), warpgroup));
}

TEST(Wgmma, TheWholeWarpgroupTakesPart) {
  auto kernel = [](int32_t oddWarp, int32_t other_site, int32_t otherFlags) {
    return [=] {
      Options o;
      fillOperand('A', 0, 64, o.a);
      fillOperand('B', 16384, o.n, o.b);
      sm_fence_proxy(1, sm_proxy_async_shared_cta);
      barrier();
      float d[32] = {};
      sm_wgmma_fence(2);
      const bool odd = warpIndex() == oddWarp;
      sm_wgmma_mma(odd ? other_site : 3, d, int64_t(describe(0, 64, o.a)), int64_t(describe(16384, 64, o.b)),
                   64, sm_wgmma_b_mn_major | (odd ? otherFlags : 0));
      sm_wgmma_commit_group(4);
      sm_wgmma_wait_group(5, 0);
      sm_settle(6, d, 32);
    };
  };
  EXPECT_TRUE(passes(kernel(-1, 0, 0), warpgroup));
  EXPECT_TRUE(faults(FaultKind::Divergence, kernel(2, 7, 0), warpgroup));
  EXPECT_TRUE(faults(FaultKind::Divergence, kernel(2, 3, sm_wgmma_negate_a), warpgroup));
  // One warp never issues its part: the others wait for ever.
  EXPECT_TRUE(faults(
      FaultKind::Deadlock,
      [] {
        Options o;
        fillOperand('A', 0, 64, o.a);
        fillOperand('B', 16384, o.n, o.b);
        sm_fence_proxy(1, sm_proxy_async_shared_cta);
        barrier();
        float d[32] = {};
        sm_wgmma_fence(2);
        if (warpIndex() != 3)
          sm_wgmma_mma(3, d, int64_t(describe(0, 64, o.a)), int64_t(describe(16384, 64, o.b)), 64,
                       sm_wgmma_b_mn_major);
        sm_wgmma_commit_group(4);
        sm_wgmma_wait_group(5, 0);
      },
      warpgroup));
  EXPECT_TRUE(faults(
      FaultKind::Divergence,
      [] {
        float d[4] = {};
        sm_wgmma_fence(1);
        sm_wgmma_mma(2, d, 0, 0, 8, 0);
      },
      Shape{64, 65536, 1, 1, 0, false}));
}

TEST(Wgmma, ShapesOnOneAccumulatorMayNotChange) {
  EXPECT_TRUE(faults(
      FaultKind::BadDescriptor,
      [] {
        Options o;
        fillOperand('A', 0, 64, o.a);
        fillOperand('B', 16384, o.n, o.b);
        sm_fence_proxy(1, sm_proxy_async_shared_cta);
        barrier();
        float d[32] = {};
        sm_wgmma_fence(2);
        sm_wgmma_mma(3, d, int64_t(describe(0, 64, o.a)), int64_t(describe(16384, 64, o.b)), 64,
                     sm_wgmma_b_mn_major | 32);
        sm_wgmma_mma(4, d, int64_t(describe(0, 64, o.a)), int64_t(describe(16384, 64, o.b)), 32,
                     sm_wgmma_b_mn_major | 32);
      },
      warpgroup));
}

TEST(Wgmma, SumsNeedRegistersOfTheirOwn) {
  auto kernel = [](int32_t n) {
    return [n] {
      sm_setmaxnreg(8, 40, 0);
      Options wide;
      wide.n = n;
      product(wide);
    };
  };
  Shape capped = warpgroup;
  capped.registers = 168;
  EXPECT_TRUE(passes(kernel(64), capped));
  EXPECT_TRUE(faults(FaultKind::Registers, kernel(96), capped));
}

TEST(Wgmma, UnwaitedGroupsAtExit) {
  EXPECT_TRUE(faults(
      FaultKind::PendingAtExit,
      [] {
        Options o;
        fillOperand('A', 0, 64, o.a);
        fillOperand('B', 16384, o.n, o.b);
        sm_fence_proxy(1, sm_proxy_async_shared_cta);
        barrier();
        float d[32] = {};
        sm_wgmma_fence(2);
        sm_wgmma_mma(3, d, int64_t(describe(0, 64, o.a)), int64_t(describe(16384, 64, o.b)), 64,
                     sm_wgmma_b_mn_major);
        sm_wgmma_commit_group(4);
      },
      warpgroup));
}

TEST(Wgmma, OverwritingItsOperandsNeedsTheWaitOfEveryWarp) {
  auto kernel = [](bool barriers) {
    return [barriers] {
      Options o;
      fillOperand('A', 0, 64, o.a);
      fillOperand('B', 16384, o.n, o.b);
      sm_fence_proxy(1, sm_proxy_async_shared_cta);
      barrier();
      float d[32] = {};
      sm_wgmma_fence(2);
      sm_wgmma_mma(3, d, int64_t(describe(0, 64, o.a)), int64_t(describe(16384, 64, o.b)), 64,
                   sm_wgmma_b_mn_major);
      sm_wgmma_commit_group(4);
      sm_wgmma_wait_group(5, 0);
      sm_settle(6, d, 32);
      if (barriers)
        sm_barrier(7, 0, 0);
      if (threadIndex() == 0)
        store<int32_t>(sharedAt(16384), 0);
    };
  };
  EXPECT_TRUE(passes(kernel(true), warpgroup));
  EXPECT_TRUE(faults(FaultKind::Overwrite, kernel(false), warpgroup));
}

} // namespace
} // namespace simulator
