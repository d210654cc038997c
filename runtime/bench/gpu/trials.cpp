#include "runtime/bench/gpu/trials.h"

#include "runtime/bench/statistics.h"

#include <algorithm>
#include <cmath>

namespace algrt {

GpuTrials::GpuTrials(const GpuDevice &device, const GpuStream &stream, const GpuTrialOptions &options)
    : device_(device), stream_(stream), options_(options), timer_(device, stream),
      flush_(device, size_t(options.flush_bytes), "the memory that flushes the caches") {}

int GpuTrials::replaysFor(double call_us) const {
  if (!(call_us > 0)) // below the resolution of the events
    return options_.most_replays;
  return int(std::clamp(std::ceil(options_.trial_us / call_us), 1.0, double(options_.most_replays)));
}

double GpuTrials::warmTrial(const GpuGraph &graph) {
  graph.launch();
  timer_.start();
  graph.launch();
  timer_.stop();
  return timer_.microseconds() / graph.calls();
}

double GpuTrials::flushedTrial(const GpuGraph &graph) {
  // The overwriting takes long enough for what follows to be queued before it ends: the events see no waiting
  // for the host. Every time another value, so that nothing can be left as it is.
  const cuda::Driver &driver = device_.driver();
  driver.check(driver.memsetD32Async(flush_.address(), ++flushes_, flush_.bytes() / 4, stream_.get()),
               "flushing the caches");
  timer_.start();
  graph.launch();
  timer_.stop();
  return timer_.microseconds() / graph.calls();
}

double GpuTrials::calibrate(const GpuCall &call) {
  // A library may load its code at the first call, which a capture forbids.
  call(stream_.get());
  stream_.synchronize();
  const int replays = replaysFor(warmTrial(GpuGraph(device_, stream_, call, 1)));
  const GpuGraph graph(device_, stream_, call, replays);
  std::vector<double> times;
  for (int trial = 0; trial < options_.calibration_trials; ++trial)
    times.push_back(warmTrial(graph));
  return summarise(times).median;
}

std::vector<GpuTimes> GpuTrials::evaluate(const std::vector<GpuCall> &calls, double fastest_us, int turns) {
  const int replays = (replaysFor(fastest_us) + turns - 1) / turns * turns;
  std::vector<std::unique_ptr<GpuGraph>> graphs, single;
  for (const GpuCall &call : calls) {
    graphs.push_back(std::make_unique<GpuGraph>(device_, stream_, call, replays));
    single.push_back(std::make_unique<GpuGraph>(device_, stream_, call, 1));
  }
  std::vector<std::vector<double>> warm(calls.size()), flushed(calls.size());
  for (int trial = 0; trial < options_.evaluation_trials; ++trial)
    for (size_t i = 0; i < calls.size(); ++i)
      warm[i].push_back(warmTrial(*graphs[i]));
  for (int trial = 0; trial < options_.evaluation_trials; ++trial)
    for (size_t i = 0; i < calls.size(); ++i)
      flushed[i].push_back(flushedTrial(*single[i]));
  std::vector<GpuTimes> times;
  for (size_t i = 0; i < calls.size(); ++i)
    times.push_back({{summarise(warm[i]), summarise(flushed[i])}, replays});
  return times;
}

} // namespace algrt
