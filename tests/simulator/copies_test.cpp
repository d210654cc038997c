// Bulk copies, cp.async, the proxies, and what must be finished at exit.
#include "tests/simulator/launches.h"

namespace simulator {
namespace {

constexpr Shape copier_warp{32, 16384, 1, 1, 0, false};

// An input and an output matrix of 128 x 64, maps with boxes of 64 x 64.
struct Copies : testing::Test {
  Matrix in{128, 64}, out{128, 64};
  GlobalMemory memory;

  void SetUp() override {
    in.fillSmall(3);
    in.encode(64, 64, Swizzle::B128);
    out.encode(64, 64, Swizzle::B128);
    memory.registerGlobal("in", in.data.data(), in.bytes(), Access::Read);
    memory.registerGlobal("out", out.data.data(), out.bytes(), Access::Write);
  }
  void loadBox(uint8_t *to, uint8_t *bar, int32_t x, int32_t y, int32_t site) const {
    sm_mbarrier_arrive_expect_tx(site, bar, 8192);
    sm_tma_load(site, to, &in.map, bar, 2, x, y, 0, 0, 0, -1, 0);
  }
};

uint8_t *mbarrierAt() { return sharedAt(8192); }

TEST_F(Copies, SwizzlesOnAddressBitsAndFillsWithZeros) {
  EXPECT_TRUE(passes(
      [&] {
        initialise(mbarrierAt(), 1);
        if (threadIndex() == 0)
          loadBox(sharedAt(0), mbarrierAt(), -8, 96, 1);
        waitParity(mbarrierAt(), 0);
        for (int32_t row = 0; row < 64; ++row)
          for (int32_t column = laneIndex(); column < 64; column += 32) {
            const uint8_t *at = sharedAt(row * 128 + ((column / 8) ^ (row % 8)) * 16 + column % 8 * 2);
            const bool exists = column >= 8 && row + 96 < 128;
            EXPECT_EQ(fromBits(load<uint16_t>(at)), exists ? in.at(row + 96, column - 8) : 0.0f);
          }
      },
      memory, copier_warp));
}

TEST_F(Copies, MapsOfFiveDimensionsCountTheInnermostFirst) {
  TensorMapFields fields;
  fields.base = in.data.data();
  fields.rank = 5;
  const uint64_t extents[] = {8, 4, 4, 2, 16}, strides[] = {16, 64, 256, 1024};
  // Elements 8 x 4 x 4 x 2 x 16 of a dense array read backwards in the middle: strides as they please.
  std::copy(std::begin(extents), std::end(extents), fields.extents);
  std::copy(std::begin(strides), std::end(strides), fields.strides);
  const uint32_t box[] = {8, 2, 3, 2, 1};
  std::copy(std::begin(box), std::end(box), fields.box);
  alignas(64) TensorMap map;
  ASSERT_EQ(encodeTensorMap(fields, map), "");
  const int32_t bytes = int32_t(map.boxBytes());
  EXPECT_EQ(bytes, 8 * 2 * 3 * 2 * 2);
  EXPECT_TRUE(passes(
      [&] {
        initialise(mbarrierAt(), 1);
        if (threadIndex() == 0) {
          sm_mbarrier_arrive_expect_tx(1, mbarrierAt(), bytes);
          sm_tma_load(2, sharedAt(0), &map, mbarrierAt(), 5, 0, 1, 2, 0, 5, -1, 0);
        }
        waitParity(mbarrierAt(), 0);
        if (threadIndex() != 0)
          return;
        int32_t at = 0;
        for (int32_t u = 0; u < 2; ++u)
          for (int32_t z = 0; z < 3; ++z)
            for (int32_t y = 0; y < 2; ++y)
              for (int32_t x = 0; x < 8; ++x, ++at) {
                const int64_t element = (5 * 1024 + u * 256 + (z + 2) * 64 + (y + 1) * 16) / 2 + x;
                EXPECT_EQ(load<uint16_t>(sharedAt(at * 2)), z + 2 < 4 ? in.data[size_t(element)] : 0);
              }
      },
      memory, copier_warp));
}

TEST_F(Copies, DataIsThereAfterThePhaseOnly) {
  GlobalMemory &memory = this->memory;
  EXPECT_TRUE(faults(
      FaultKind::Race,
      [&] {
        initialise(mbarrierAt(), 1);
        if (threadIndex() == 0) {
          loadBox(sharedAt(0), mbarrierAt(), 0, 0, 1);
          sm_read(2, sharedAt(0), 4);
        }
      },
      memory, copier_warp));
  EXPECT_TRUE(faults(
      FaultKind::PendingAtExit,
      [&] {
        initialise(mbarrierAt(), 1);
        if (threadIndex() == 0)
          loadBox(sharedAt(0), mbarrierAt(), 0, 0, 1);
      },
      memory, copier_warp));
}

TEST_F(Copies, TwoCopiesToOnePlace) {
  EXPECT_TRUE(faults(
      FaultKind::Race,
      [&] {
        initialise(mbarrierAt(), 2);
        if (threadIndex() == 0) {
          loadBox(sharedAt(0), mbarrierAt(), 0, 0, 1);
          loadBox(sharedAt(0), mbarrierAt(), 0, 64, 2);
        }
        waitParity(mbarrierAt(), 0);
      },
      memory, copier_warp));
}

TEST_F(Copies, TooFewBytesExpected) {
  GlobalMemory &memory = this->memory;
  for (const std::string &kind : kindsOver(
           [&] {
             initialise(mbarrierAt(), 1);
             if (threadIndex() == 0) {
               sm_mbarrier_arrive_expect_tx(1, mbarrierAt(), 4096);
               sm_tma_load(2, sharedAt(0), &in.map, mbarrierAt(), 2, 0, 0, 0, 0, 0, -1, 0);
             }
             waitParity(mbarrierAt(), 0);
           },
           memory, copier_warp))
    EXPECT_EQ(kind, "deadlock");
}

TEST_F(Copies, GenericWritesNeedAFenceBeforeACopyOverThem) {
  auto kernel = [&](bool fences) {
    return [&, fences] {
      initialise(mbarrierAt(), 1);
      store<int32_t>(sharedAt(threadIndex() * 4), 1);
      if (fences)
        sm_fence_proxy(1, sm_proxy_async_shared_cta);
      barrier();
      if (threadIndex() == 0)
        loadBox(sharedAt(0), mbarrierAt(), 0, 0, 2);
      waitParity(mbarrierAt(), 0);
    };
  };
  EXPECT_TRUE(passes(kernel(true), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::MissingProxyFence, kernel(false), memory, copier_warp));
}

TEST_F(Copies, AlignmentBoundsAndMaps) {
  auto kernel = [&](int64_t at, const void *map, int32_t rank) {
    return [=] {
      initialise(mbarrierAt(), 1);
      if (threadIndex() == 0) {
        sm_mbarrier_arrive_expect_tx(1, mbarrierAt(), 8192);
        sm_tma_load(2, sharedAt(at), map, mbarrierAt(), rank, 0, 0, 0, 0, 0, -1, 0);
      }
      waitParity(mbarrierAt(), 0);
    };
  };
  EXPECT_TRUE(passes(kernel(0, &in.map, 2), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::Misaligned, kernel(64, &in.map, 2), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::OutOfBounds, kernel(8192 + 128, &in.map, 2), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::Mbarrier, kernel(1024, &in.map, 2), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::BadTensorMap, kernel(0, &in.map, 3), memory, copier_warp));
  alignas(64) TensorMap empty = {};
  EXPECT_TRUE(faults(FaultKind::BadTensorMap, kernel(0, &empty, 2), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::Misaligned, kernel(0, reinterpret_cast<const uint8_t *>(&in.map) + 16, 2),
                     memory, copier_warp));
  GlobalMemory none;
  EXPECT_TRUE(faults(FaultKind::OutOfBounds, kernel(0, &in.map, 2), none, copier_warp));
}

// ---- stores
// ---------------------------------------------------------------------------------------------------------

enum class Store { Right, NoFence, FenceByIssuer, NoBarrier, NoWait, NoCommit, EarlyWrite, Twice };

void storeKernel(const Matrix &out, Store how) {
  for (int32_t row = 0; row < 64; ++row)
    store<int32_t>(sharedAt(row * 128 + ((laneIndex() / 4) ^ (row % 8)) * 16 + laneIndex() % 4 * 4),
                   row << 16 | laneIndex());
  if (how != Store::NoFence && how != Store::FenceByIssuer)
    sm_fence_proxy(1, sm_proxy_async_shared_cta);
  if (how != Store::NoBarrier)
    barrier();
  if (threadIndex() != 0)
    return;
  if (how == Store::FenceByIssuer)
    sm_fence_proxy(2, sm_proxy_async_shared_cta);
  sm_tma_store(3, &out.map, sharedAt(0), 2, 0, 96, 0, 0, 0);
  if (how == Store::Twice)
    sm_tma_store(4, &out.map, sharedAt(0), 2, 0, 120, 0, 0, 0);
  if (how != Store::NoCommit)
    sm_bulk_commit_group(5);
  if (how == Store::EarlyWrite)
    store<int32_t>(sharedAt(0), 0);
  if (how != Store::NoWait)
    sm_bulk_wait_group(6, 0, 1);
  if (how == Store::Right)
    store<int32_t>(sharedAt(0), 0);
}

TEST_F(Copies, StoresClipAndLeaveTheRestAlone) {
  EXPECT_TRUE(passes([&] { storeKernel(out, Store::Right); }, memory, copier_warp));
  for (int32_t row = 0; row < 128; ++row)
    for (int32_t column = 0; column < 64; ++column)
      EXPECT_EQ(out.data[size_t(row * 64 + column)], row < 96     ? 0
                                                     : column % 2 ? row - 96
                                                                  : column / 2)
          << row << "," << column;
  EXPECT_EQ(memory.neverWritten("out"), 96 * 128);
}

// Of the box's 64 x 64 elements the last 32 rows and the last 24 columns are clipped.
void clippedStore(const Matrix &out, int32_t rows, int32_t columns, bool overwritten) {
  if (threadIndex() != 0)
    return;
  const auto put = [](int32_t row, int32_t column, uint16_t value) {
    store<uint16_t>(sharedAt(row * 128 + ((column / 8) ^ (row % 8)) * 16 + column % 8 * 2), value);
  };
  for (int32_t row = 0; row < rows; ++row)
    for (int32_t column = 0; column < columns; ++column)
      put(row, column, uint16_t(row * 64 + column));
  sm_fence_proxy(1, sm_proxy_async_shared_cta);
  sm_tma_store(2, &out.map, sharedAt(0), 2, 24, 96, 0, 0, 0);
  sm_bulk_commit_group(3);
  if (overwritten)
    put(40, 50, 0);
  sm_bulk_wait_group(4, 0, 1);
}

TEST_F(Copies, StoresReadWhatTheyStoreAlone) {
  auto with = [&](int32_t rows, int32_t columns, bool overwritten = false) {
    return [this, rows, columns, overwritten] { clippedStore(out, rows, columns, overwritten); };
  };
  EXPECT_TRUE(passes(with(32, 40), memory, copier_warp));
  for (int32_t row = 0; row < 32; ++row)
    for (int32_t column = 0; column < 40; ++column)
      EXPECT_EQ(out.data[size_t((row + 96) * 64 + column + 24)], row * 64 + column);
  EXPECT_TRUE(passes(with(32, 40, /*overwritten=*/true), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::NeverWritten, with(31, 40), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::NeverWritten, with(32, 39), memory, copier_warp));
}

// An output of 16 x 8 in f32, to which boxes of 8 x 8 are added.
struct Additions : testing::Test {
  std::vector<float> out = std::vector<float>(16 * 8, 0.5f);
  TensorMapFields fields;
  alignas(64) TensorMap map;
  GlobalMemory memory;

  void SetUp() override {
    fields.base = out.data();
    fields.element = Element::F32;
    fields.rank = 2;
    fields.extents[0] = 8;
    fields.extents[1] = 16;
    fields.strides[0] = 32;
    fields.box[0] = fields.box[1] = 8;
    ASSERT_EQ(encodeTensorMap(fields, map), "");
    memory.registerGlobal("out", out.data(), int64_t(out.size() * sizeof(float)), Access::ReadWrite);
  }
  std::function<void()> kernel(bool fenced = true, bool twice = false) {
    return [this, fenced, twice] {
      if (threadIndex() != 0)
        return;
      for (int32_t i = 0; i < 64; ++i)
        store<float>(sharedAt(i * 4), float(i));
      if (fenced)
        sm_fence_proxy(1, sm_proxy_async_shared_cta);
      sm_tma_add(2, &map, sharedAt(0), 2, 0, 12, 0, 0, 0);
      if (twice)
        sm_tma_add(3, &map, sharedAt(0), 2, 0, 8, 0, 0, 0);
      sm_bulk_commit_group(4);
      sm_bulk_wait_group(5, 0, 1);
    };
  }
};

TEST_F(Additions, AddToWhatIsThereAndClip) {
  Launch launch;
  launch.kernel = kernel();
  launch.threads = copier_warp.threads;
  launch.shared_bytes = copier_warp.shared_bytes;
  ASSERT_TRUE(run(launch, memory).ok());
  for (int32_t i = 0; i < 16 * 8; ++i)
    EXPECT_EQ(out[size_t(i)], i < 12 * 8 ? 0.5f : 0.5f + float(i - 12 * 8)) << i;
}

TEST_F(Additions, NeedAFenceAndOneOwner) {
  EXPECT_TRUE(faults(FaultKind::MissingProxyFence, kernel(/*fenced=*/false), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::GlobalConflict, kernel(true, /*twice=*/true), memory, copier_warp));
  fields.element = Element::BF16;
  fields.strides[0] = 16;
  ASSERT_EQ(encodeTensorMap(fields, map), "");
  EXPECT_TRUE(faults(FaultKind::BadTensorMap, kernel(), memory, copier_warp));
}

TEST_F(Copies, StoresNeedFenceBarrierCommitAndWait) {
  auto with = [&](Store how) { return [this, how] { storeKernel(out, how); }; };
  EXPECT_TRUE(faults(FaultKind::MissingProxyFence, with(Store::NoFence), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::MissingProxyFence, with(Store::FenceByIssuer), memory, copier_warp));
  for (const std::string &kind : kindsOver(with(Store::NoBarrier), memory, copier_warp))
    EXPECT_TRUE(kind == "race" || kind == "never written") << kind;
  EXPECT_TRUE(faults(FaultKind::PendingAtExit, with(Store::NoWait), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::PendingAtExit, with(Store::NoCommit), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::Overwrite, with(Store::EarlyWrite), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::GlobalConflict, with(Store::Twice), memory, copier_warp));
}

TEST_F(Copies, WaitGroupLeavesTheNewest) {
  auto kernel = [&](int32_t pending) {
    return [this, pending] {
      if (threadIndex() != 0)
        return;
      for (int32_t i = 0; i < 2048; ++i)
        store<int32_t>(sharedAt(i * 4), i);
      sm_fence_proxy(1, sm_proxy_async);
      sm_bulk_store(2, out.data.data(), sharedAt(0), 4096);
      sm_bulk_commit_group(3);
      sm_bulk_store(4, out.data.data() + 2048, sharedAt(4096), 4096);
      sm_bulk_commit_group(5);
      sm_bulk_wait_group(6, pending, 1);
      store<int32_t>(sharedAt(0), 0);
      sm_bulk_wait_group(7, 0, 0);
    };
  };
  EXPECT_TRUE(passes(kernel(1), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::Overwrite, kernel(2), memory, copier_warp));
}

TEST_F(Copies, PlainBulkLoads) {
  auto kernel = [&](int32_t bytes) {
    return [this, bytes] {
      initialise(mbarrierAt(), 1);
      if (threadIndex() == 0) {
        sm_mbarrier_arrive_expect_tx(1, mbarrierAt(), bytes);
        sm_bulk_load(2, sharedAt(16), mbarrierAt(), in.data.data() + 8, bytes, -1);
      }
      waitParity(mbarrierAt(), 0);
      EXPECT_EQ(load<uint16_t>(sharedAt(16 + laneIndex() * 2)), in.data[size_t(8 + laneIndex())]);
    };
  };
  EXPECT_TRUE(passes(kernel(64), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::Misaligned, kernel(60), memory, copier_warp));
}

// ---- cp.async
// -------------------------------------------------------------------------------------------------------

TEST_F(Copies, CpAsyncGroups) {
  auto kernel = [&](int32_t pending) {
    return [this, pending] {
      for (int32_t group = 0; group < 2; ++group) {
        sm_cp_async(1, sharedAt(group * 512 + laneIndex() * 16),
                    in.data.data() + group * 256 + laneIndex() * 8, 16, laneIndex() == 31 ? 4 : 16);
        sm_cp_async_commit_group(2);
      }
      sm_cp_async_wait_group(3, pending);
      EXPECT_EQ(load<uint16_t>(sharedAt(laneIndex() * 16 + 2)), in.data[size_t(laneIndex() * 8 + 1)]);
      EXPECT_EQ(load<uint16_t>(sharedAt(laneIndex() * 16 + 6)),
                laneIndex() == 31 ? 0 : in.data[size_t(laneIndex() * 8 + 3)]);
      sm_cp_async_wait_group(4, 0);
    };
  };
  EXPECT_TRUE(passes(kernel(1), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::Race, kernel(2), memory, copier_warp));
  EXPECT_TRUE(faults(
      FaultKind::PendingAtExit,
      [&] { sm_cp_async(1, sharedAt(laneIndex() * 16), in.data.data() + laneIndex() * 8, 16, 16); }, memory,
      copier_warp));
}

TEST_F(Copies, CpAsyncReadsNoMoreThanItsSourceSize) {
  auto outside = [&](int32_t bytes) {
    return [this, bytes] {
      if (laneIndex() == 0)
        sm_cp_async(1, sharedAt(0), in.data.data() + in.data.size(), 4, bytes);
      sm_cp_async_commit_group(2);
      sm_cp_async_wait_group(3, 0);
      if (laneIndex() == 0)
        EXPECT_EQ(load<uint32_t>(sharedAt(0)), 0u);
    };
  };
  EXPECT_TRUE(passes(outside(0), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::OutOfBounds, outside(2), memory, copier_warp));
  EXPECT_TRUE(faults(
      FaultKind::NeverWritten, [&] { sm_cp_async(1, sharedAt(laneIndex() * 16), out.data.data(), 16, 16); },
      memory, copier_warp));
}

TEST_F(Copies, CpAsyncCompletesOnAnMbarrier) {
  auto kernel = [&](bool noinc, bool waits) {
    return [this, noinc, waits] {
      initialise(mbarrierAt(), noinc ? 32 : 1);
      sm_cp_async(1, sharedAt(laneIndex() * 16), in.data.data() + laneIndex() * 8, 16, 16);
      sm_cp_async_mbarrier_arrive(2, mbarrierAt(), noinc);
      sm_warp_sync(3, -1);
      if (!noinc && threadIndex() == 0)
        sm_mbarrier_arrive(4, mbarrierAt(), 1);
      if (waits)
        waitParity(mbarrierAt(), 0);
      load<uint16_t>(sharedAt((31 - laneIndex()) * 16));
    };
  };
  EXPECT_TRUE(passes(kernel(true, true), memory, copier_warp));
  EXPECT_TRUE(passes(kernel(false, true), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::Race, kernel(true, false), memory, copier_warp));
}

TEST_F(Copies, CpAsyncWritesThroughTheGenericProxy) {
  auto kernel = [&](bool fences) {
    return [this, fences] {
      sm_cp_async(1, sharedAt(laneIndex() * 16), in.data.data() + laneIndex() * 8, 16, 16);
      sm_cp_async_commit_group(2);
      sm_cp_async_wait_group(3, 0);
      if (fences)
        sm_fence_proxy(4, sm_proxy_async_shared_cta);
      barrier();
      if (threadIndex() == 0) {
        sm_bulk_store(5, out.data.data(), sharedAt(0), 512);
        sm_bulk_commit_group(6);
        sm_bulk_wait_group(7, 0, 1);
      }
    };
  };
  EXPECT_TRUE(passes(kernel(true), memory, copier_warp));
  EXPECT_TRUE(faults(FaultKind::MissingProxyFence, kernel(false), memory, copier_warp));
}

// ---- tensor maps
// ----------------------------------------------------------------------------------------------------

TEST(TensorMaps, AreRefusedAsByTheDriver) {
  alignas(16) static uint16_t data[4096];
  TensorMapFields good;
  good.base = data;
  good.rank = 2;
  good.extents[0] = good.extents[1] = 64;
  good.strides[0] = 128;
  good.box[0] = good.box[1] = 64;
  good.swizzle = Swizzle::B128;
  TensorMap map;
  EXPECT_EQ(encodeTensorMap(good, map), "");
  EXPECT_TRUE(isTensorMap(map));
  EXPECT_EQ(map.boxBytes(), 8192);
  auto refused = [&](auto change) {
    TensorMapFields fields = good;
    change(fields);
    return !encodeTensorMap(fields, map).empty();
  };
  EXPECT_TRUE(refused([](auto &f) { f.base = reinterpret_cast<uint8_t *>(data) + 8; }));
  EXPECT_TRUE(refused([](auto &f) { f.base = nullptr; }));
  EXPECT_TRUE(refused([](auto &f) { f.rank = 6; }));
  EXPECT_TRUE(refused([](auto &f) { f.rank = 0; }));
  EXPECT_TRUE(refused([](auto &f) { f.extents[1] = 0; }));
  EXPECT_TRUE(refused([](auto &f) { f.extents[1] = (uint64_t(1) << 32) + 1; }));
  EXPECT_FALSE(refused([](auto &f) { f.extents[1] = uint64_t(1) << 32; }));
  EXPECT_TRUE(refused([](auto &f) { f.strides[0] = 136; }));
  EXPECT_TRUE(refused([](auto &f) { f.strides[0] = uint64_t(1) << 40; }));
  EXPECT_TRUE(refused([](auto &f) { f.box[1] = 257; }));
  EXPECT_FALSE(refused([](auto &f) { f.box[1] = 256; }));
  EXPECT_TRUE(refused([](auto &f) { f.box[0] = 4; }));
  EXPECT_TRUE(refused([](auto &f) { f.box[0] = 128; }));
  EXPECT_TRUE(refused([](auto &f) { f.swizzle = Swizzle::B64; }));
  EXPECT_TRUE(refused([](auto &f) { f.element_strides[1] = 9; }));
}

} // namespace
} // namespace simulator
