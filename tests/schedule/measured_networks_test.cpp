// Predictions against kernels of two layers that were measured on an H100, schedule by schedule.
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

/// The device that was measured: an H200's processor with slower memory. What one row reads stays in the
/// cache from one measured call to the next.
GpuMachine measuredMachine(int64_t m) {
  GpuMachine machine = h200_machine;
  machine.memory_bytes_per_us = m == 1 ? machine.cache_bytes_per_us : 3.02e6;
  return machine;
}

double predictedOnMeasured(const TwoLayers &layers, int64_t m, const std::string &schedule) {
  const GpuMachine machine = measuredMachine(m);
  if (isStagedChained(schedule))
    return StagedChainedCosts(layers.problem(), m, machine)(parseStagedChained(schedule)).total();
  ChainedReductionCosts costs(layers.problem(), m, machine);
  return costs(parseChainedReduction(schedule)).total();
}

/// Those of `m` rows. A schedule, which has commas, stands in quotes at the end of its line.
std::vector<ComparedNetwork> comparedNetworks(int64_t m) {
  const std::string path =
      std::string(ALGCTL_SOURCE_DIR) + "/benchmarks/results/2026-11-27-h100-network-schedules.csv";
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "m,in,hidden,q,measured_us,schedule") << path;
  std::vector<ComparedNetwork> all;
  while (std::getline(file, line)) {
    std::istringstream rest(line);
    std::vector<std::string> cells(5);
    for (std::string &cell : cells)
      std::getline(rest, cell, ',');
    std::string schedule;
    rest >> std::quoted(schedule);
    if (std::stoll(cells[0]) != m)
      continue;
    const int64_t in = std::stoll(cells[1]), hidden = std::stoll(cells[2]);
    const TwoLayers layers(fmt::format("Q({})", cells[3]), in, hidden, in);
    all.push_back({fmt::format("{} x {} -> {}", m, in, hidden), schedule, std::stod(cells[4]),
                   predictedOnMeasured(layers, m, schedule)});
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
  EXPECT_EQ(by_shape.size(), 5u);
  double most = 1;
  for (const auto &[shape, kernels] : by_shape)
    most = std::max(most, std::ranges::min_element(kernels, {}, &ComparedNetwork::predicted)->measured /
                              std::ranges::min_element(kernels, {}, &ComparedNetwork::measured)->measured);
  return most;
}

TEST(MeasuredNetworks, OfManyRowsTakeWhatIsPredicted) {
  const std::vector<ComparedNetwork> all = comparedNetworks(2048);
  ASSERT_EQ(all.size(), 75u);
  EXPECT_LT(spread(all), 1.25);
  EXPECT_LT(mostLost(all), 1.1);
}

TEST(MeasuredNetworks, OfOneRowTakeWhatIsPredicted) {
  const std::vector<ComparedNetwork> all = comparedNetworks(1);
  ASSERT_EQ(all.size(), 60u);
  EXPECT_LT(spread(all), 1.25);
  EXPECT_LT(mostLost(all), 1.1);
}

} // namespace
