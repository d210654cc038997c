// Operands of wgmma as they lie in shared memory, written out from the manual, and a product of them.
#pragma once

#include "tests/simulator/launches.h"

#include "compiler/simulator/model/matrix_descriptor.h"
#include "compiler/simulator/model/small_floats.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace simulator {

inline constexpr Shape warpgroup{128, 65536, 1, 1, 0, false};

struct Layout {
  Swizzle swizzle;
  bool mn_major;
};

inline uint64_t encode(int64_t address, int64_t leading, int64_t stride, Swizzle swizzle) {
  const uint64_t mode = swizzle == Swizzle::None   ? 0
                        : swizzle == Swizzle::B128 ? 1
                        : swizzle == Swizzle::B64  ? 2
                                                   : 3;
  return uint64_t(address & 0x3ffff) >> 4 | uint64_t(leading) >> 4 << 16 | uint64_t(stride) >> 4 << 32 |
         mode << 62;
}

// Where element (mn, k) of an operand of `size` rows and a depth of 16 lies, written out from the layouts'
// pictures in the manual and not from the model's code: offset before the swizzle.
inline int64_t offsetOf(Layout layout, int64_t size, int64_t mn, int64_t k) {
  const int64_t span = spanOf(layout.swizzle) / 2; // elements
  if (layout.swizzle == Swizzle::None) {
    const int64_t core = 64; // elements of a core matrix
    if (layout.mn_major)     // cores: k / 8 outermost, mn / 8 within
      return ((k / 8 * (size / 8) + mn / 8) * core + k % 8 * 8 + mn % 8) * 2;
    return ((mn / 8 * 2 + k / 8) * core + mn % 8 * 8 + k % 8) * 2;
  }
  if (layout.mn_major) // bands of `span` columns, each 16 rows deep
    return (mn / span * 16 * span + k * span + mn % span) * 2;
  return (mn * span + k) * 2;
}
inline void offsetsOf(Layout layout, int64_t size, int64_t &leading, int64_t &stride) {
  const int64_t span = spanOf(layout.swizzle);
  if (layout.swizzle == Swizzle::None) {
    leading = layout.mn_major ? size / 8 * 128 : 128;
    stride = layout.mn_major ? 128 : 256;
  } else {
    leading = layout.mn_major ? 16 * span : 0;
    stride = 8 * span;
  }
}
inline int64_t swizzleByHand(int64_t at, Swizzle swizzle) {
  const int64_t span = spanOf(swizzle);
  return span == 0 ? at : at ^ ((at / 128) % (span / 16) * 16);
}

inline float valueOf(char name, int64_t mn, int64_t k) {
  return float((mn * 7 + k * 3 + (name == 'A' ? 1 : 4)) % 11 - 5);
}

inline uint16_t halfBits(float value, bool f16) {
  return f16 ? std::bit_cast<uint16_t>(static_cast<_Float16>(value)) : bf16(value);
}

inline void fillOperand(char name, int64_t at, int64_t size, Layout layout, bool f16 = false) {
  const int64_t base = int64_t(reinterpret_cast<uintptr_t>(sharedAt(at)));
  for (int64_t i = threadIndex(); i < size * 16; i += 128) {
    const int64_t address = swizzleByHand(base + offsetOf(layout, size, i / 16, i % 16), layout.swizzle);
    store<uint16_t>(reinterpret_cast<void *>(address), halfBits(valueOf(name, i / 16, i % 16), f16));
  }
}
inline uint64_t describe(int64_t at, int64_t size, Layout layout) {
  int64_t leading, stride;
  offsetsOf(layout, size, leading, stride);
  return encode(int64_t(reinterpret_cast<uintptr_t>(sharedAt(at))), leading, stride, layout.swizzle);
}

struct Options {
  Layout a{Swizzle::B128, false}, b{Swizzle::B128, true};
  int32_t n = 64;
  bool fence = true, wait = true, commit = true, proxyFence = true, settle = true, fromRegisters = false;
  int32_t flags = sm_wgmma_accumulate;
  uint64_t flipA = 0, flipB = 0;
};

inline void product(const Options &o) {
  fillOperand('A', 0, 64, o.a, o.flags & sm_wgmma_f16);
  fillOperand('B', 16384, o.n, o.b, o.flags & sm_wgmma_f16);
  if (o.proxyFence)
    sm_fence_proxy(1, sm_proxy_async_shared_cta);
  barrier();
  float d[128];
  for (int32_t i = 0; i < o.n / 2; ++i)
    d[i] = 100;
  if (o.fence)
    sm_wgmma_fence(2);
  const int32_t flags =
      o.flags | (o.a.mn_major ? sm_wgmma_a_mn_major : 0) | (o.b.mn_major ? sm_wgmma_b_mn_major : 0);
  const int32_t row = warpIndex() % 4 * 16 + laneIndex() / 4;
  for (int32_t times = 0; times < 2; ++times) {
    const int64_t b = int64_t(describe(16384, o.n, o.b) ^ o.flipB);
    if (o.fromRegisters) {
      uint32_t a[4];
      for (int32_t i = 0; i < 4; ++i) {
        const int64_t m = row + i % 2 * 8, k = laneIndex() % 4 * 2 + i / 2 * 8;
        a[i] = uint32_t(bf16(valueOf('A', m, k))) | uint32_t(bf16(valueOf('A', m, k + 1))) << 16;
      }
      sm_wgmma_mma_registers(3, d, a, b, o.n, flags);
    } else {
      sm_wgmma_mma(4, d, int64_t(describe(0, 64, o.a) ^ o.flipA), b, o.n, flags);
    }
  }
  if (o.commit)
    sm_wgmma_commit_group(5);
  if (o.wait)
    sm_wgmma_wait_group(6, 0);
  if (!o.settle) {
    store<float>(sharedAt(60000) + threadIndex() * 4, d[0]);
    return;
  }
  sm_settle(7, d, o.n / 2);
  const bool negative = bool(o.flags & sm_wgmma_negate_a) != bool(o.flags & sm_wgmma_negate_b);
  for (int32_t i = 0; i < o.n / 2; ++i) {
    const int32_t m = row + i / 2 % 2 * 8, column = i / 4 * 8 + laneIndex() % 4 * 2 + i % 2;
    float sum = 0;
    for (int32_t k = 0; k < 16; ++k)
      sum += valueOf('A', m, k) * valueOf('B', column, k);
    if (negative)
      sum = -sum;
    ASSERT_EQ(d[i], o.flags & sm_wgmma_accumulate ? 100 + 2 * sum : sum) << m << ", " << column;
  }
}

} // namespace simulator
