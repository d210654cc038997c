#include "runtime/reference/sampled_check.h"

#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/compare.h"
#include "runtime/reference/reference.h"
#include "runtime/support/checked.h"
#include "runtime/support/parallel.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <random>

namespace algrt {

namespace {

constexpr int64_t smallest_cell = 64, least_samples = 4096, most_samples = int64_t(1) << 19;

constexpr double f32_rounding = 0x1p-20;
// The relative L2 error of f32 results: sums of tensor cores are truncated, not rounded, and drift more than
// those of a CPU.
constexpr double f32_tolerance = 1e-4;

int64_t cellsOf(const std::vector<int64_t> &extents, int64_t cell) {
  return std::accumulate(extents.begin(), extents.end(), int64_t(0),
                         [&](int64_t sum, int64_t extent) { return sum + ceilDivide(extent, cell); });
}

float valueAt(const void *y, ElementType type, int64_t index) {
  return type == ElementType::F32 ? static_cast<const float *>(y)[index]
                                  : fromBfloat16(static_cast<const uint16_t *>(y)[index]);
}

} // namespace

SampledCheck::SampledCheck(const Bundle &bundle, int64_t m, const uint16_t *first, const uint16_t *second,
                           const SampledCheckOptions &options, const uint16_t *bias)
    : bundle_(bundle), options_(options) {
  const Layer &layer = bundle.layer();
  const std::vector<int64_t> type_of_row = rowTypes(layer, m, options.p0, nullptr);
  blocks_ = resultBlocks(layer, options.map, type_of_row);
  group_begin_ = beginsOf(blocks_.column_groups);
  for (size_t group = 0; group < blocks_.column_groups.size(); ++group)
    group_of_column_.insert(group_of_column_.end(), size_t(blocks_.column_groups[group]), int64_t(group));

  double macs = 0;
  std::vector<double> of_a_row;
  for (int64_t type = 0; type < layer.types; ++type)
    of_a_row.push_back(double(bundle.support().rowMacs(layer, type)));
  for (int64_t type : type_of_row)
    macs += of_a_row[size_t(type)];
  const double outputs = double(blocks_.rows) * double(blocks_.columns);
  whole_ = macs <= double(options.whole_macs) && outputs <= double(options.whole_macs);
  if (whole_)
    chooseAll();
  else
    chooseCells(std::max(1.0, macs / outputs));
  const ElementSums sums(bundle, options.map, type_of_row, first, second, bias);
  runTasks(resolveThreads(options_.threads), int64_t(samples_.size()), [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Sample &sample = samples_[size_t(i)];
      sample.expected = sums.at(sample.row, sample.column);
    }
  });
}

void SampledCheck::addSample(int64_t row, int64_t column) {
  samples_.push_back({row,
                      column,
                      int32_t(blocks_.kind_of_row[size_t(row)]),
                      int32_t(group_of_column_[size_t(column)]),
                      {}});
}

void SampledCheck::chooseAll() {
  samples_.reserve(size_t(blocks_.rows * blocks_.columns));
  for (int64_t row = 0; row < blocks_.rows; ++row)
    for (int64_t column = 0; column < blocks_.columns; ++column)
      addSample(row, column);
}

void SampledCheck::chooseCells(double macs_of_an_output) {
  const std::vector<int64_t> &widths = blocks_.column_groups;
  std::vector<std::vector<int64_t>> rows(size_t(blocks_.kinds)); // of each kind
  for (int64_t row = 0; row < blocks_.rows; ++row)
    rows[size_t(blocks_.kind_of_row[size_t(row)])].push_back(row);
  std::vector<int64_t> counts;
  for (const std::vector<int64_t> &of_kind : rows)
    counts.push_back(int64_t(of_kind.size()));

  const double affordable = std::min(double(most_samples), double(options_.sample_macs) / macs_of_an_output);
  int64_t cell_rows = smallest_cell, cell_columns = smallest_cell;
  const auto cells = [&] {
    return double(cellsOf(counts, cell_rows)) * double(cellsOf(widths, cell_columns));
  };
  while (cells() > affordable && (cell_rows < blocks_.rows || cell_columns < blocks_.columns))
    (cell_rows <= cell_columns ? cell_rows : cell_columns) *= 2;
  // Where there are more blocks than that, some are left out by chance.
  const double share = std::min(1.0, affordable / cells());

  std::mt19937_64 random(options_.seed);
  const auto below = [&](int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random);
  };
  const int64_t groups = int64_t(widths.size());
  for (const std::vector<int64_t> &of_kind : rows)
    for (int64_t first = 0; first < int64_t(of_kind.size()); first += cell_rows)
      for (int64_t group = 0; group < groups; ++group)
        for (int64_t column = 0; column < widths[size_t(group)]; column += cell_columns)
          if (share == 1 || std::uniform_real_distribution<>()(random) < share) {
            const int64_t row =
                of_kind[size_t(first + below(std::min(cell_rows, int64_t(of_kind.size()) - first)))];
            addSample(row, group_begin_[size_t(group)] + column +
                               below(std::min(cell_columns, widths[size_t(group)] - column)));
          }
  for (int64_t row : {int64_t(0), blocks_.rows - 1})
    for (int64_t group = 0; group < groups; ++group) {
      addSample(row, group_begin_[size_t(group)]);
      addSample(row, group_begin_[size_t(group) + 1] - 1);
    }
  while (int64_t(samples_.size()) < least_samples) {
    const int64_t row = below(blocks_.rows);
    addSample(row, below(blocks_.columns));
  }
}

int64_t SampledCheck::diagonalSamples() const {
  if (bundle_.layer().lift == Lift::Slots)
    return 0;
  return std::count_if(samples_.begin(), samples_.end(), [](const Sample &s) { return s.kind == s.group; });
}

int64_t SampledCheck::unwrittenElements(const void *result, ElementType output) const {
  const int64_t n = blocks_.columns;
  std::atomic<int64_t> total = 0;
  runTasks(resolveThreads(options_.threads), blocks_.rows, [&](int, int64_t begin, int64_t end) {
    int64_t found = 0;
    // By bits: the finite-math options of a compiler must not decide here.
    if (output == ElementType::Bf16)
      found = std::count_if(static_cast<const uint16_t *>(result) + begin * n,
                            static_cast<const uint16_t *>(result) + end * n,
                            [](uint16_t bits) { return (bits & 0x7fffu) > 0x7f80u; });
    else
      found = std::count_if(static_cast<const uint32_t *>(result) + begin * n,
                            static_cast<const uint32_t *>(result) + end * n,
                            [](uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; });
    total += found;
  });
  return total;
}

std::string SampledCheck::place(const Sample &sample) const {
  std::string text = "row " + std::to_string(sample.row) + ", column " + std::to_string(sample.column);
  const bool weights = options_.map == Map::Dw, rows_lift = bundle_.layer().lift == Lift::Rows;
  const char *const columns = options_.map == Map::Dx ? "input group " : "output group ";
  if (rows_lift)
    text += (weights ? " (row group " : " (type ") + std::to_string(sample.kind) + ", " + columns +
            std::to_string(sample.group) +
            (sample.kind == sample.group ? ", diagonal)" : ", off the diagonal)");
  else
    text +=
        (weights ? " (row group " + std::to_string(sample.kind) : " (slot " + std::to_string(sample.group)) +
        ")";
  return text;
}

CheckOutcome SampledCheck::compare(const void *result, ElementType output, int64_t roundings) const {
  const int64_t n = blocks_.columns;
  const bool narrow = output == ElementType::Bf16;
  CheckOutcome outcome;
  outcome.samples = samples();
  outcome.unwritten = unwrittenElements(result, output);
  std::vector<float> actual;
  std::vector<double> expected;
  const Sample *worst = nullptr;
  double worst_excess = 0;
  for (const Sample &sample : samples_) {
    actual.push_back(valueAt(result, output, sample.row * n + sample.column));
    expected.push_back(sample.expected.value);
    const double rounding = narrow ? bf16_rounding : f32_rounding;
    // What is rounded between the rounds is no larger than the sum of absolute values.
    const double allowed = rounding * std::abs(sample.expected.value) +
                           (f32_sum_error + double(roundings - 1) * rounding / 2) * sample.expected.magnitude;
    const double error = std::abs(double(actual.back()) - sample.expected.value);
    if (error <= allowed) // false for NaN
      continue;
    ++outcome.wrong;
    const double excess = std::isnan(error) ? 0 : error - allowed;
    if (worst == nullptr || excess > worst_excess) {
      worst = &sample;
      worst_excess = excess;
    }
  }
  const Comparison comparison = algrt::compare(actual, expected);
  const bool comparable = comparison.kind_mismatches == 0;
  outcome.relative_l2 = comparable ? comparison.relative_l2 : std::numeric_limits<double>::infinity();
  outcome.max_relative = comparable ? comparison.max_relative : std::numeric_limits<double>::infinity();
  const double allowed_l2 = std::sqrt(double(roundings)) * (narrow ? tolerance(true) : f32_tolerance);
  char text[320];
  if (outcome.unwritten != 0) {
    std::snprintf(text, sizeof(text), "%lld of %lld outputs were not written or are NaN",
                  static_cast<long long>(outcome.unwritten), static_cast<long long>(blocks_.rows * n));
    outcome.failure = text;
  }
  if (outcome.wrong != 0 || outcome.relative_l2 > allowed_l2) {
    std::snprintf(
        text, sizeof(text),
        "%s%lld of %lld checked outputs are wrong, relative L2 error %.3g (at most %.1g is rounding)",
        outcome.failure.empty() ? "" : "; ", static_cast<long long>(outcome.wrong),
        static_cast<long long>(outcome.samples), outcome.relative_l2, allowed_l2);
    outcome.failure += text;
  }
  if (worst != nullptr) {
    const float value = valueAt(result, output, worst->row * n + worst->column);
    std::snprintf(text, sizeof(text), ", the worst at %s: %.6g instead of %.6g", place(*worst).c_str(),
                  double(value), worst->expected.value);
    outcome.failure += text;
  }
  return outcome;
}

} // namespace algrt
