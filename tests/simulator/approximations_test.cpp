// The model's approximations against double precision: within what PTX says of the instructions, and not
// exact.
#include "compiler/simulator/model/approximations.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace {

using namespace simulator;

constexpr float infinity = std::numeric_limits<float>::infinity(),
                nan = std::numeric_limits<float>::quiet_NaN(), least_normal = 0x1p-126f,
                subnormal = 0x1p-130f;

/// Of all numbers of f32, every so many.
template <typename Function> void forNumbers(Function check) {
  constexpr uint32_t distance = 997;
  for (uint64_t bits = 0; bits <= std::numeric_limits<uint32_t>::max(); bits += distance)
    if (const float x = std::bit_cast<float>(static_cast<uint32_t>(bits)); std::isfinite(x))
      check(x);
}

double relativeError(float value, double exact) {
  return std::abs(static_cast<double>(value) - exact) / std::abs(exact);
}

TEST(Approximations, OfPowersOfTwoAreAsCloseAsPromised) {
  double worst = 0;
  forNumbers([&](float x) {
    const double exact = std::exp2(static_cast<double>(x));
    if (exact > static_cast<double>(std::numeric_limits<float>::max()))
      EXPECT_EQ(approximateExp2(x), infinity) << x;
    else if (exact < static_cast<double>(least_normal))
      EXPECT_EQ(approximateExp2(x), 0) << x;
    else
      worst = std::max(worst, relativeError(approximateExp2(x), exact));
  });
  EXPECT_LE(worst, 0x1p-22);
  EXPECT_GE(worst, 0x1p-23);
}

TEST(Approximations, OfTanhAreAsCloseAsPromised) {
  double worst = 0;
  forNumbers([&](float x) {
    if (std::abs(x) >= least_normal)
      worst = std::max(worst, relativeError(approximateTanh(x), std::tanh(static_cast<double>(x))));
  });
  EXPECT_LE(worst, 0x1p-11);
  EXPECT_GE(worst, 0x1p-12);
}

TEST(Approximations, OfQuotientsAreTwoUnitsAway) {
  std::mt19937 random(1);
  double worst = 0;
  for (int i = 0; i < 2'000'000; ++i) {
    const auto a = std::bit_cast<float>(static_cast<uint32_t>(random())),
               b = std::bit_cast<float>(static_cast<uint32_t>(random()));
    const double exact = static_cast<double>(a) / static_cast<double>(b);
    if (!(std::abs(exact) >= static_cast<double>(least_normal)) ||
        std::abs(exact) > static_cast<double>(std::numeric_limits<float>::max() / 2))
      continue;
    const double unit = std::ldexp(1.0, std::ilogb(exact) - 23);
    worst = std::max(worst, std::abs(static_cast<double>(approximateQuotient(a, b)) - exact) / unit);
  }
  EXPECT_LE(worst, 2);
  EXPECT_GE(worst, 1.9);
}

TEST(Approximations, HaveTheFunctionsSpecialValues) {
  EXPECT_EQ(approximateExp2(infinity), infinity);
  EXPECT_EQ(approximateExp2(-infinity), 0);
  EXPECT_TRUE(std::isnan(approximateExp2(nan)));
  for (const float zero : {0.0f, -0.0f, subnormal, -subnormal})
    EXPECT_EQ(approximateExp2(zero), 1);
  EXPECT_EQ(approximateTanh(infinity), 1);
  EXPECT_EQ(approximateTanh(-infinity), -1);
  EXPECT_TRUE(std::isnan(approximateTanh(nan)));
  EXPECT_TRUE(std::signbit(approximateTanh(-0.0f)));
  EXPECT_EQ(approximateTanh(subnormal), subnormal);
  EXPECT_EQ(approximateQuotient(1, 0), infinity);
  EXPECT_EQ(approximateQuotient(1, -0.0f), -infinity);
  EXPECT_EQ(approximateQuotient(-3, infinity), 0);
  EXPECT_TRUE(std::signbit(approximateQuotient(-3, infinity)));
  EXPECT_EQ(approximateQuotient(infinity, 3), infinity);
  for (const auto &[a, b] : {std::pair(0.0f, 0.0f), {infinity, infinity}, {nan, 1.0f}, {1.0f, nan}})
    EXPECT_TRUE(std::isnan(approximateQuotient(a, b)));
}

// By the reciprocal of the divisor, which has none where that would be subnormal.
TEST(Approximations, FastQuotientsHaveTheirSpecialValues) {
  EXPECT_EQ(approximateFastQuotient(6, 3), approximateQuotient(6, 3));
  EXPECT_EQ(approximateFastQuotient(0x1p100f, 0x1p126f), approximateQuotient(0x1p100f, 0x1p126f));
  EXPECT_EQ(approximateFastQuotient(0x1p100f, 0x1.8p126f), 0);
  EXPECT_TRUE(std::signbit(approximateFastQuotient(-0x1p100f, 0x1.8p126f)));
  EXPECT_TRUE(std::isnan(approximateFastQuotient(infinity, 0x1.8p126f)));
  EXPECT_TRUE(std::isnan(approximateFastQuotient(-infinity, infinity)));
  EXPECT_EQ(approximateFastQuotient(-3, infinity), 0);
  EXPECT_EQ(approximateFastQuotient(subnormal, 1), 0);
  EXPECT_EQ(approximateFastQuotient(0x1p-120f, 0x1p10f), 0); // would be subnormal
  EXPECT_EQ(approximateFastQuotient(1, subnormal), infinity);
  EXPECT_TRUE(std::isnan(approximateFastQuotient(nan, 2)));
}

} // namespace
