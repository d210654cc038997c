#include "compiler/simulator/model/approximations.h"

#include "compiler/simulator/model/calls.h"

#include <bit>
#include <cmath>
#include <limits>

namespace simulator {
namespace {

using Limits = std::numeric_limits<float>;

/// Above or below, as the bits of the arguments say: the same wherever the instruction stands.
double sideOf(uint32_t bits) {
  constexpr uint32_t mixing = 0x9e3779b1; // 2^32 over the golden ratio: all bits decide about the highest
  return (bits * mixing) >> 31 ? 1 : -1;
}

float nearest(double value) {
  if (std::abs(value) > static_cast<double>(Limits::max()))
    return std::copysign(Limits::infinity(), value > 0 ? 1.0f : -1.0f);
  return static_cast<float>(value);
}

/// As far away as an error of `most`, relative to the value, leaves room for beside the rounding to f32.
float off(double exact, double most, double side) {
  constexpr double rounding = 0x1p-24;
  return nearest(exact * (1 + side * (most - rounding)));
}

bool isSubnormal(float value) { return std::fpclassify(value) == FP_SUBNORMAL; }

} // namespace

float approximateExp2(float x) {
  if (x == 0 || isSubnormal(x))
    return 1;
  if (std::isnan(x) || std::isinf(x))
    return std::isnan(x) ? x : x > 0 ? x : 0;
  const float result = off(std::exp2(static_cast<double>(x)), 0x1p-22, sideOf(std::bit_cast<uint32_t>(x)));
  return isSubnormal(result) ? 0 : result;
}

float approximateTanh(float x) {
  if (x == 0 || std::isnan(x) || isSubnormal(x))
    return x;
  if (std::isinf(x))
    return std::copysign(1.0f, x);
  return off(std::tanh(static_cast<double>(x)), 0x1p-11, sideOf(std::bit_cast<uint32_t>(x)));
}

float approximateQuotient(float a, float b) {
  const double exact = static_cast<double>(a) / static_cast<double>(b);
  if (!std::isfinite(exact) || exact == 0)
    return nearest(exact);
  const double side = sideOf(std::bit_cast<uint32_t>(a) ^ std::rotl(std::bit_cast<uint32_t>(b), 16));
  const float end = side > 0 ? Limits::infinity() : -Limits::infinity();
  float result = nearest(exact);
  // Two units from there are too many where the rounding went the same way.
  const int units = (static_cast<double>(result) - exact) * side > 0 ? 1 : 2;
  for (int unit = 0; unit < units && std::isfinite(result); ++unit)
    result = std::nextafter(result, end);
  return result;
}

float approximateFastQuotient(float a, float b) {
  const auto flushed = [](float value) { return isSubnormal(value) ? std::copysign(0.0f, value) : value; };
  a = flushed(a);
  b = flushed(b);
  constexpr float most = 0x1p126f;
  if (std::isfinite(b) && std::abs(b) > most)
    b = std::copysign(Limits::infinity(), b);
  return flushed(approximateQuotient(a, b));
}

} // namespace simulator

extern "C" {

int32_t sm_ex2_approx(int32_t, int32_t x) {
  return std::bit_cast<int32_t>(simulator::approximateExp2(std::bit_cast<float>(x)));
}

int32_t sm_tanh_approx(int32_t, int32_t x) {
  return std::bit_cast<int32_t>(simulator::approximateTanh(std::bit_cast<float>(x)));
}

int32_t sm_div_approx(int32_t, int32_t a, int32_t b) {
  return std::bit_cast<int32_t>(
      simulator::approximateFastQuotient(std::bit_cast<float>(a), std::bit_cast<float>(b)));
}

int32_t sm_div_full(int32_t, int32_t a, int32_t b) {
  return std::bit_cast<int32_t>(
      simulator::approximateQuotient(std::bit_cast<float>(a), std::bit_cast<float>(b)));
}

} // extern "C"
