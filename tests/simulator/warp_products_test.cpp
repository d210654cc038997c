// What one warp multiplies: ldmatrix, stmatrix, mma.sync; and the halves that some products are of.
#include "tests/simulator/launches.h"

#include "compiler/simulator/model/small_floats.h"

#include <cmath>

namespace simulator {
namespace {

constexpr Shape multiplying_warp{32, 65536, 1, 1, 0, false};

TEST(Halves, AreExact) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const int exponent = int(bits >> 10 & 31);
    const float mantissa = float(bits & 1023);
    float expected = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
    if (bits & 0x8000)
      expected = -expected;
    if (exponent == 31)
      continue;
    ASSERT_EQ(fromHalf(uint16_t(bits), true), expected) << bits;
  }
  EXPECT_TRUE(std::isinf(fromHalf(0x7c00, true)));
  EXPECT_TRUE(std::isnan(fromHalf(0x7e00, true)));
}

TEST(Matrices, GoOutAndComeBack) {
  for (int32_t transposed : {0, 1})
    for (int32_t count : {1, 2, 4})
      EXPECT_TRUE(passes(
          [&] {
            uint32_t out[4], in[4];
            for (int32_t i = 0; i < 4; ++i)
              out[i] = uint32_t(i << 12 | laneIndex() << 4) | uint32_t(i << 12 | laneIndex() << 4 | 1) << 16;
            uint8_t *row = sharedAt(laneIndex() * 16);
            sm_stmatrix(1, row, out, count, transposed);
            sm_warp_sync(2, -1);
            // Lane l holds elements 2(l % 4), +1 of row l / 4.
            for (int32_t matrix = 0; matrix < count; ++matrix)
              for (int32_t half = 0; half < 2; ++half) {
                const int32_t r = laneIndex() / 4, c = laneIndex() % 4 * 2 + half;
                const int32_t at = matrix * 128 + (transposed ? c * 16 + r * 2 : r * 16 + c * 2);
                EXPECT_EQ(load<uint16_t>(sharedAt(at)), matrix << 12 | laneIndex() << 4 | half);
              }
            sm_ldmatrix(3, in, row, count, transposed);
            for (int32_t i = 0; i < count; ++i)
              EXPECT_EQ(in[i], out[i]);
          },
          multiplying_warp));
  EXPECT_TRUE(faults(
      FaultKind::Misaligned,
      [] {
        uint32_t registers[4] = {};
        sm_stmatrix(1, sharedAt(laneIndex() * 16 + 8), registers, 4, 0);
      },
      multiplying_warp));
  EXPECT_TRUE(faults(
      FaultKind::NeverWritten,
      [] {
        uint32_t registers[4];
        sm_ldmatrix(1, registers, sharedAt(laneIndex() * 16), 4, 0);
      },
      multiplying_warp));
}

TEST(Matrices, MmaSync) {
  EXPECT_TRUE(passes(
      [] {
        const int32_t group = laneIndex() / 4, within = laneIndex() % 4 * 2;
        auto pair = [](float low, float high) { return uint32_t(bf16(low)) | uint32_t(bf16(high)) << 16; };
        auto a = [](int32_t m, int32_t k) { return float((m * 7 + k * 3 + 1) % 11 - 5); };
        auto b = [](int32_t k, int32_t n) { return float((n * 7 + k * 3 + 4) % 11 - 5); };
        const uint32_t as[4] = {pair(a(group, within), a(group, within + 1)),
                                pair(a(group + 8, within), a(group + 8, within + 1)),
                                pair(a(group, within + 8), a(group, within + 9)),
                                pair(a(group + 8, within + 8), a(group + 8, within + 9))};
        const uint32_t bs[2] = {pair(b(within, group), b(within + 1, group)),
                                pair(b(within + 8, group), b(within + 9, group))};
        float d[4] = {1, 1, 1, 1};
        sm_mma_m16n8k16(1, d, as, bs, 0);
        for (int32_t i = 0; i < 4; ++i) {
          float sum = 1;
          for (int32_t k = 0; k < 16; ++k)
            sum += a(group + i / 2 * 8, k) * b(k, within + i % 2);
          EXPECT_EQ(d[i], sum);
        }
      },
      multiplying_warp));
}

} // namespace
} // namespace simulator
