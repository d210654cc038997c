#include "runtime/bench/scatter.h"

#include "runtime/bench/text_table.h"

namespace algrt {

namespace {

// Half of the distance of the quartiles is what tables print behind the median.
double distance(const Timing &timing) { return timing.upper_quartile - timing.lower_quartile; }

// Calls `found` with each side whose times scatter, these times, and the state of the caches.
template <class Found> void forScattered(const std::vector<MeasuredSide> &sides, Found found) {
  for (const MeasuredSide &side : sides) {
    if (!side.times)
      continue;
    if (const Timing &warm = side.times->warm; distance(warm) > warm.median / 2)
      found(side, warm, "warm");
    if (const Timing &flushed = side.times->flushed; distance(flushed) > flushed.median / 2)
      found(side, flushed, "flushed");
  }
}

} // namespace

std::vector<std::string> scatteredTimes(const std::vector<MeasuredSide> &sides) {
  std::vector<std::string> keys;
  forScattered(sides, [&](const MeasuredSide &side, const Timing &, const char *state) {
    keys.push_back(side.key + "." + state);
  });
  return keys;
}

std::string scatterWarnings(const std::string &title, const std::vector<MeasuredSide> &sides) {
  std::string text;
  forScattered(sides, [&](const MeasuredSide &side, const Timing &timing, const char *state) {
    text += "warning: " + title + ": the " + side.name + "'s " + state + " times vary by " +
            fixed(distance(timing), 1) + " us about their median of " + fixed(timing.median, 1) +
            " us, so that the ratio says little: run on a quiet machine\n";
  });
  return text;
}

} // namespace algrt
