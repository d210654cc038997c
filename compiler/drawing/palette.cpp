#include "compiler/drawing/palette.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace compiler {
namespace {

// Hue in turns; the usual conversion.
std::string fromHsl(double hue, double saturation, double lightness) {
  auto channel = [&](double offset) {
    double k = std::fmod(offset + hue * 12, 12);
    double amplitude = saturation * std::min(lightness, 1 - lightness);
    double value = lightness - amplitude * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}));
    return static_cast<int>(std::lround(value * 255));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(8), channel(4));
}

} // namespace

TypeColours typeColours(int64_t type, int64_t count) {
  double hue =
      std::fmod(0.58 + static_cast<double>(type) / static_cast<double>(std::max<int64_t>(1, count)), 1);
  return {fromHsl(hue, 0.55, 0.42), fromHsl(hue, 0.62, 0.90)};
}

} // namespace compiler
