// Predictions against kernels of two layers that were measured on an H100 and an H200, schedule by schedule.
#include "compiler/schedule/chained_reduction.h"
#include "compiler/schedule/staged_chained.h"
#include "tests/schedule/layers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iomanip>
#include <map>
#include <sstream>

namespace {

using namespace compiler;

struct ComparedNetwork {
  std::string shape, schedule;
  double measured, predicted;
};

/// An H100 is an H200's processor with slower memory. What one row reads stays in the cache from one measured
/// call to the next.
GpuMachine measuredMachine(const std::string &device, int64_t m) {
  GpuMachine machine = h200_machine;
  if (device == "H100")
    machine.memory_bytes_per_us = 3.02e6;
  if (m == 1)
    machine.memory_bytes_per_us = machine.cache_bytes_per_us;
  return machine;
}

double predictedOnMachine(const GpuMachine &machine, const TwoLayers &layers, int64_t m,
                          const std::string &schedule) {
  if (isStagedChained(schedule))
    return StagedChainedCosts(layers.problem(), m, machine)(parseStagedChained(schedule)).total();
  ChainedReductionCosts costs(layers.problem(), m, machine);
  return costs(parseChainedReduction(schedule)).total();
}

/// Those of a day, a device and `m` rows. A schedule, which has commas, stands in quotes at the end of its
/// line.
std::vector<ComparedNetwork> comparedNetworks(const std::string &day, const std::string &device, int64_t m) {
  const std::string path =
      std::string(ALGCTL_SOURCE_DIR) + "/benchmarks/results/" + day + "-network-schedules.csv";
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "device,m,in,hidden,q,measured_us,schedule") << path;
  std::vector<ComparedNetwork> all;
  while (std::getline(file, line)) {
    std::istringstream rest(line);
    std::vector<std::string> cells(6);
    for (std::string &cell : cells)
      std::getline(rest, cell, ',');
    std::string schedule;
    rest >> std::quoted(schedule);
    if (cells[0] != device || std::stoll(cells[1]) != m)
      continue;
    const int64_t in = std::stoll(cells[2]), hidden = std::stoll(cells[3]);
    const TwoLayers layers(fmt::format("Q({})", cells[4]), in, hidden, in);
    all.push_back({fmt::format("{} x {} -> {}", m, in, hidden), schedule, std::stod(cells[5]),
                   predictedOnMachine(measuredMachine(device, m), layers, m, schedule)});
  }
  return all;
}

/// How far the logarithm of measured over predicted spreads, as a factor.
double spread(const std::vector<ComparedNetwork> &all) {
  double squares = 0;
  for (const ComparedNetwork &one : all)
    squares += std::pow(std::log(one.measured / one.predicted), 2);
  return std::exp(std::sqrt(squares / static_cast<double>(all.size())));
}

/// How much longer the kernel takes that is predicted to be the fastest than the fastest one, at worst.
double mostLost(const std::vector<ComparedNetwork> &all) {
  std::map<std::string, std::vector<ComparedNetwork>> by_shape;
  for (const ComparedNetwork &one : all)
    by_shape[one.shape].push_back(one);
  double most = 1;
  for (const auto &[shape, kernels] : by_shape)
    most = std::max(most, std::ranges::min_element(kernels, {}, &ComparedNetwork::predicted)->measured /
                              std::ranges::min_element(kernels, {}, &ComparedNetwork::measured)->measured);
  return most;
}

TEST(MeasuredNetworks, TakeWhatIsPredicted) {
  const std::string first = "2026-11-27", second = "2026-11-28";
  const struct {
    std::string day;
    const char *device;
    int64_t m;
    size_t kernels;
    double spread, lost;
  } cases[] = {{first, "H100", 2048, 75, 1.2, 1.1},
               {first, "H100", 1, 60, 1.22, 1.1},
               {first, "H200", 2048, 75, 1.2, 1.1},
               {first, "H200", 1, 60, 1.22, 1.1},
               {first, "H200", 4, 32, 1.25, 1.1},
               {first, "H200", 64, 40, 1.2, 1.15},
               {first, "H200", 8192, 40, 1.22, 1.15},
               // The widest network is faster by the kernel that comes in stages.
               {first, "H200", 16, 44, 1.35, 1.45},
               // These kernels multiply by gate and up in one instruction. Their quotients took seven
               // instructions more than those of today, which the model counts.
               {second, "H200", 2048, 120, 1.2, 1.1},
               {second, "H200", 64, 46, 1.25, 1.2},
               {second, "H200", 8192, 47, 1.25, 1.15}};
  for (const auto &one : cases) {
    SCOPED_TRACE(fmt::format("{}: {}, m {}", one.day, one.device, one.m));
    const std::vector<ComparedNetwork> all = comparedNetworks(one.day, one.device, one.m);
    ASSERT_EQ(all.size(), one.kernels);
    EXPECT_LT(spread(all), one.spread);
    EXPECT_LT(mostLost(all), one.lost);
  }
}

} // namespace
