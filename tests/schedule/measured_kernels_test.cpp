// Predictions against kernels that were measured on an H200, schedule by schedule.
#include "algebras/expression.h"
#include "compiler/schedule/staged.h"

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
using algebras::DataType;

struct Measured {
  std::string map;
  int64_t m, k, n, q;
  DataType result;
  std::string schedule;
  double us;

  std::string shape() const {
    return fmt::format("{} {} x {} -> {}, q = {}, {}", map, m, k, n, q, algebras::toString(result));
  }
};

// A schedule, which has commas, stands in quotes at the end of its line.
std::vector<Measured> measuredKernels() {
  const std::string path = std::string(ALGCTL_SOURCE_DIR) + "/benchmarks/results/2026-11-24-h200-kernels.csv";
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "map,m,k,n,q,result,measured_us,schedule") << path;
  std::vector<Measured> kernels;
  while (std::getline(file, line)) {
    std::istringstream rest(line);
    std::vector<std::string> cells(7);
    for (std::string &cell : cells)
      std::getline(rest, cell, ',');
    std::string schedule;
    rest >> std::quoted(schedule);
    kernels.push_back({cells[0], std::stoll(cells[1]), std::stoll(cells[2]), std::stoll(cells[3]),
                       std::stoll(cells[4]), algebras::parseDataType(cells[5]), schedule,
                       std::stod(cells[6])});
  }
  return kernels;
}

struct Compared {
  Measured measured;
  double predicted;
  double port; ///< of shared memory, in microseconds
};

// Products of whole batches by the copy engine. The others were written anew since: what their stores took
// is what that measurement taught.
std::vector<Compared> compared() {
  std::vector<Compared> all;
  for (const Measured &one : measuredKernels()) {
    if (one.map == "dw" || one.m == 1 || one.schedule.starts_with("reduce"))
      continue;
    const Schedule schedule = parseSchedule(one.schedule, Kernels::EngineCopies);
    if (isForThreads(schedule))
      continue;
    algebras::Layer layer =
        algebras::makeLayer(algebras::Lift::rows(algebras::parseExpression(fmt::format("Q({})", one.q))),
                            one.k, one.n, DataType::BF16);
    if (one.map == "dx")
      layer = layer.transposed();
    const StagedProblem problem(layer, one.result);
    const StagedSchedule staged = completed(problem, std::get<StagedSchedule>(schedule));
    // Their last tiles were as wide as the others, and are narrower today.
    if (staged.rows_on == RowSide::M && staged.split_k == 1 && layer.out.width(0) % staged.columns != 0)
      continue;
    const Cost cost = StagedCosts(problem, one.m, h200_machine)(staged);
    all.push_back({one, cost.total(), cost["shared"]});
  }
  return all;
}

TEST(MeasuredKernels, TakeWhatIsPredicted) {
  double sum = 0, squares = 0;
  const std::vector<Compared> all = compared();
  ASSERT_GT(all.size(), 120u);
  for (const Compared &one : all) {
    const double ratio = std::log(one.measured.us / one.predicted);
    sum += ratio;
    squares += ratio * ratio;
    // Groups whose rows are no whole sectors of memory are the worst: 80 bytes in X, 400 in Y.
    EXPECT_LT(std::abs(ratio), std::log(2.2))
        << one.measured.shape() << ", " << one.measured.schedule << ": predicted " << one.predicted;
  }
  const auto count = static_cast<double>(all.size());
  EXPECT_NEAR(std::exp(sum / count), 1, 0.06);
  EXPECT_LT(std::exp(std::sqrt(squares / count)), 1.22);
}

// What engine_parts.h says of the assumption that all of shared memory shares one port.
TEST(MeasuredKernels, DoNotContradictThePort) {
  for (const Compared &one : compared())
    EXPECT_LT(one.port, 2.0 / 3 * one.measured.us) << one.measured.shape() << ", " << one.measured.schedule;
}

TEST(MeasuredKernels, TheOneThatIsChosenIsAmongTheFastest) {
  std::map<std::string, std::vector<Compared>> by_shape;
  for (Compared &one : compared())
    by_shape[one.measured.shape()].push_back(std::move(one));
  double lost = 0;
  for (const auto &[shape, kernels] : by_shape) {
    const auto us = [](const Compared &one) { return one.measured.us; };
    const double best = us(*std::ranges::min_element(kernels, {}, us));
    lost += std::log(us(*std::ranges::min_element(kernels, {}, &Compared::predicted)) / best);
  }
  ASSERT_GT(by_shape.size(), 35u);
  EXPECT_LT(std::exp(lost / static_cast<double>(by_shape.size())), 1.04);
}

} // namespace
