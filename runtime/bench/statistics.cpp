#include "runtime/bench/statistics.h"

#include <algorithm>
#include <cmath>

namespace algrt {

namespace {

double quantile(const std::vector<double> &sorted, double fraction) {
  const double position = fraction * double(sorted.size() - 1);
  const size_t below = size_t(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - double(below));
}

} // namespace

Timing summarise(std::vector<double> microseconds) {
  std::sort(microseconds.begin(), microseconds.end());
  return {quantile(microseconds, 0.5), quantile(microseconds, 0.25), quantile(microseconds, 0.75)};
}

std::string verdict(const Timing &algebra, const Timing &dense) {
  if (algebra.upper_quartile < dense.lower_quartile)
    return "faster";
  if (dense.upper_quartile < algebra.lower_quartile)
    return "slower";
  return "same";
}

} // namespace algrt
