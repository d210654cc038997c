#include "runtime/bench/race.h"

#include "runtime/bench/statistics.h"
#include "runtime/bench/stopwatch.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace algrt {

namespace {

// Thread pools of the dense libraries keep spinning for up to some 25 ms after a call; a measurement that
// begins meanwhile would share its cores with them.
constexpr std::chrono::milliseconds settling_time{30};
// No case takes much longer than this; fewer trials are made where it would.
constexpr double case_budget_us = 60e6;

struct Samples {
  std::vector<double> warm, flushed;
};

double warmTime(const Contender &contender) {
  return microsecondsOf([&] {
           for (int64_t call = 0; call < contender.calls; ++call)
             contender.run();
         }) /
         double(contender.calls);
}

int affordable(const std::vector<Contender> &contenders, int trials) {
  double round = 0;
  for (const Contender &contender : contenders) {
    contender.run();
    round += double(2 + contender.calls) * microsecondsOf(contender.run);
  }
  return int(std::clamp(case_budget_us / round, std::min(3.0, double(trials)), double(trials)));
}

} // namespace

std::vector<WarmAndFlushed> race(const std::vector<Contender> &contenders, int wanted, CacheFlush &flush,
                                 const std::function<void(double fraction)> &progress) {
  std::vector<Samples> samples(contenders.size());
  const int trials = affordable(contenders, wanted);
  for (int trial = 0; trial < trials; ++trial) {
    if (progress)
      progress(double(trial) / trials);
    for (size_t i = 0; i < contenders.size(); ++i) {
      const size_t place = trial % 2 == 0 ? i : contenders.size() - 1 - i;
      const Contender &contender = contenders[place];
      std::this_thread::sleep_for(settling_time);
      contender.run();
      samples[place].warm.push_back(warmTime(contender));
      flush();
      samples[place].flushed.push_back(microsecondsOf(contender.run));
    }
  }
  std::vector<WarmAndFlushed> times;
  for (const Samples &one : samples)
    times.push_back({summarise(one.warm), summarise(one.flushed)});
  return times;
}

} // namespace algrt
