// How calls on the device are timed: calibration, then trials that alternate between those compared, warm and
// with flushed caches (docs/benchmarks.md).
#pragma once

#include "runtime/bench/bench.h"
#include "runtime/bench/gpu/device.h"

#include <vector>

namespace algrt {

struct GpuTrialOptions {
  int calibration_trials = 3; // their times choose, and are shown as such; they enter no result
  int evaluation_trials = 12; // of each contender, warm, and as many flushed
  // A warm trial is one graph of so many calls that it takes `trial_us` or more, but at most most_replays.
  int most_replays = 40;
  double trial_us = 2000;
  // Memory that is overwritten before each flushed call.
  int64_t flush_bytes = int64_t(512) << 20;
};

struct GpuTimes {
  WarmAndFlushed us; // of one call
  int replays = 0;   // calls in a warm trial
};

class GpuTrials {
public:
  GpuTrials(const GpuDevice &device, const GpuStream &stream, const GpuTrialOptions &options);

  // Calls per warm trial for something that takes that long.
  int replaysFor(double call_us) const;
  // Microseconds of one warm call: the median of the calibration trials.
  double calibrate(const GpuCall &call);
  // Trial by trial in the order of `calls`: first, second, ..., first, second, ... All have the same number
  // of replays, that of the fastest, whose calibrated time is `fastest_us`, and a multiple of `turns`: so
  // many calls after each other differ. Of each, a graph of all replays is captured, then one of a single
  // call.
  std::vector<GpuTimes> evaluate(const std::vector<GpuCall> &calls, double fastest_us, int turns = 1);

private:
  // One untimed launch, so that the caches hold what the calls themselves left there, then a timed one.
  double warmTrial(const GpuGraph &graph);
  double flushedTrial(const GpuGraph &graph);

  const GpuDevice &device_;
  const GpuStream &stream_;
  GpuTrialOptions options_;
  GpuTimer timer_;
  GpuMemory flush_;
  unsigned flushes_ = 0;
};

} // namespace algrt
