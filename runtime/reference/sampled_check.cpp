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

// Beyond the rounding of the result itself: f32 sums in any order, truncated at every step as tensor cores
// do, stay far below this fraction of the sum of absolute values at every depth up to 2^16.
constexpr double sum_error = 0x1p-14;
constexpr double bf16_rounding = 0x1p-8, f32_rounding = 0x1p-20;
// The relative L2 error of f32 results: sums of tensor cores are truncated, not rounded, and drift more than
// those of a CPU.
constexpr double f32_tolerance = 1e-4;

std::vector<int64_t> beginsOf(const std::vector<int64_t> &widths) {
  std::vector<int64_t> begins(widths.size() + 1, 0);
  std::partial_sum(widths.begin(), widths.end(), begins.begin() + 1);
  return begins;
}

int64_t cellsOf(const std::vector<int64_t> &extents, int64_t cell) {
  return std::accumulate(extents.begin(), extents.end(), int64_t(0),
                         [&](int64_t sum, int64_t extent) { return sum + ceilDivide(extent, cell); });
}

float valueAt(const void *y, ElementType type, int64_t index) {
  return type == ElementType::f32 ? static_cast<const float *>(y)[index]
                                  : fromBfloat16(static_cast<const uint16_t *>(y)[index]);
}

} // namespace

SampledCheck::SampledCheck(const Bundle &bundle, int64_t m, const uint16_t *x, const uint16_t *w,
                           const SampledCheckOptions &options)
    : bundle_(bundle), m_(m), options_(options), group_begin_(beginsOf(bundle.layer().out_groups)) {
  const Layer &layer = bundle.layer();
  for (size_t group = 0; group < layer.out_groups.size(); ++group)
    group_of_column_.insert(group_of_column_.end(), size_t(layer.out_groups[group]), int64_t(group));

  const std::vector<int64_t> type_of_row = rowTypes(layer, m, options.p0, nullptr);
  double macs = 0;
  std::vector<double> of_a_row;
  for (int64_t type = 0; type < layer.types; ++type)
    of_a_row.push_back(double(bundle.support().rowMacs(layer, type)));
  for (int64_t type : type_of_row)
    macs += of_a_row[size_t(type)];
  whole_ = macs <= double(options.whole_macs) && double(m) * double(layer.n) <= double(options.whole_macs);
  if (whole_)
    chooseAll(type_of_row);
  else
    chooseCells(type_of_row, std::max(1.0, macs / (double(m) * double(layer.n))));
  evaluate(x, w);
}

void SampledCheck::chooseAll(const std::vector<int64_t> &type_of_row) {
  const int64_t n = bundle_.layer().n;
  samples_.reserve(size_t(m_ * n));
  for (int64_t row = 0; row < m_; ++row)
    for (int64_t column = 0; column < n; ++column)
      samples_.push_back(
          {row, column, int32_t(type_of_row[size_t(row)]), int32_t(group_of_column_[size_t(column)]), 0, 0});
}

void SampledCheck::chooseCells(const std::vector<int64_t> &type_of_row, double macs_of_an_output) {
  const Layer &layer = bundle_.layer();
  std::vector<std::vector<int64_t>> rows(size_t(layer.types)); // of each type
  for (int64_t row = 0; row < m_; ++row)
    rows[size_t(type_of_row[size_t(row)])].push_back(row);
  std::vector<int64_t> counts;
  for (const std::vector<int64_t> &of_type : rows)
    counts.push_back(int64_t(of_type.size()));

  const double affordable = std::min(double(most_samples), double(options_.sample_macs) / macs_of_an_output);
  int64_t cell_rows = smallest_cell, cell_columns = smallest_cell;
  const auto cells = [&] {
    return double(cellsOf(counts, cell_rows)) * double(cellsOf(layer.out_groups, cell_columns));
  };
  while (cells() > affordable && (cell_rows < m_ || cell_columns < layer.n))
    (cell_rows <= cell_columns ? cell_rows : cell_columns) *= 2;
  // Where there are more blocks than that, some are left out by chance.
  const double share = std::min(1.0, affordable / cells());

  std::mt19937_64 random(options_.seed);
  const auto below = [&](int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random);
  };
  const auto add = [&](int64_t row, int64_t column) {
    samples_.push_back(
        {row, column, int32_t(type_of_row[size_t(row)]), int32_t(group_of_column_[size_t(column)]), 0, 0});
  };
  const int64_t groups = int64_t(layer.out_groups.size());
  for (const std::vector<int64_t> &of_type : rows)
    for (int64_t first = 0; first < int64_t(of_type.size()); first += cell_rows)
      for (int64_t group = 0; group < groups; ++group)
        for (int64_t column = 0; column < layer.out_groups[size_t(group)]; column += cell_columns)
          if (share == 1 || std::uniform_real_distribution<>()(random) < share)
            add(of_type[size_t(first + below(std::min(cell_rows, int64_t(of_type.size()) - first)))],
                group_begin_[size_t(group)] + column +
                    below(std::min(cell_columns, layer.out_groups[size_t(group)] - column)));
  for (int64_t row : {int64_t(0), m_ - 1})
    for (int64_t group = 0; group < groups; ++group) {
      add(row, group_begin_[size_t(group)]);
      add(row, group_begin_[size_t(group) + 1] - 1);
    }
  while (int64_t(samples_.size()) < least_samples)
    add(below(m_), below(layer.n));
}

void SampledCheck::evaluate(const uint16_t *x, const uint16_t *w) {
  const Layer &layer = bundle_.layer();
  const std::vector<int64_t> input_begin = beginsOf(layer.in_groups), bank_begin = beginsOf(layer.bank_rows);
  const int64_t w_stride = layer.bankColumns();
  runTasks(resolveThreads(options_.threads), int64_t(samples_.size()), [&](int, int64_t begin, int64_t end) {
    std::array<Term, 2> storage;
    for (int64_t i = begin; i < end; ++i) {
      Sample &sample = samples_[size_t(i)];
      // In the slot lift every block has all columns of the bank.
      const int64_t w_column =
          layer.lift == Lift::rows ? sample.column : sample.column - group_begin_[size_t(sample.group)];
      for (const Term &term : bundle_.support().terms(sample.type, sample.group, storage)) {
        const uint16_t *from_x = x + sample.row * layer.k + input_begin[size_t(term.input_group)];
        const uint16_t *from_w = w + bank_begin[size_t(term.bank_row)] * w_stride + w_column;
        double sum = 0, magnitude = 0;
        for (int64_t d = 0; d < layer.in_groups[size_t(term.input_group)]; ++d) {
          const double product = double(fromBfloat16(from_x[d])) * double(fromBfloat16(from_w[d * w_stride]));
          sum += product;
          magnitude += std::abs(product);
        }
        sample.expected += term.coefficient * sum;
        sample.magnitude += std::abs(term.coefficient) * magnitude;
      }
    }
  });
}

int64_t SampledCheck::diagonalSamples() const {
  if (bundle_.layer().lift == Lift::slots)
    return 0;
  return std::count_if(samples_.begin(), samples_.end(), [](const Sample &s) { return s.type == s.group; });
}

int64_t SampledCheck::unwrittenElements(const void *y, ElementType output) const {
  const int64_t n = bundle_.layer().n;
  std::atomic<int64_t> total = 0;
  runTasks(resolveThreads(options_.threads), m_, [&](int, int64_t begin, int64_t end) {
    int64_t found = 0;
    // By bits: the finite-math options of a compiler must not decide here.
    if (output == ElementType::bf16)
      found = std::count_if(static_cast<const uint16_t *>(y) + begin * n,
                            static_cast<const uint16_t *>(y) + end * n,
                            [](uint16_t bits) { return (bits & 0x7fffu) > 0x7f80u; });
    else
      found = std::count_if(static_cast<const uint32_t *>(y) + begin * n,
                            static_cast<const uint32_t *>(y) + end * n,
                            [](uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; });
    total += found;
  });
  return total;
}

std::string SampledCheck::place(const Sample &sample) const {
  std::string text = "row " + std::to_string(sample.row) + ", column " + std::to_string(sample.column);
  if (bundle_.layer().lift == Lift::rows)
    text += " (type " + std::to_string(sample.type) + ", output group " + std::to_string(sample.group) +
            ", " + (sample.type == sample.group ? "diagonal)" : "off the diagonal)");
  else
    text += " (slot " + std::to_string(sample.group) + ")";
  return text;
}

CheckOutcome SampledCheck::compare(const void *y, ElementType output, int64_t roundings) const {
  const int64_t n = bundle_.layer().n;
  const bool narrow = output == ElementType::bf16;
  CheckOutcome outcome;
  outcome.samples = samples();
  outcome.unwritten = unwrittenElements(y, output);
  std::vector<float> actual;
  std::vector<double> expected;
  const Sample *worst = nullptr;
  double worst_excess = 0;
  for (const Sample &sample : samples_) {
    actual.push_back(valueAt(y, output, sample.row * n + sample.column));
    expected.push_back(sample.expected);
    const double rounding = narrow ? bf16_rounding : f32_rounding;
    // What is rounded between the rounds is no larger than the sum of absolute values.
    const double allowed = rounding * std::abs(sample.expected) +
                           (sum_error + double(roundings - 1) * rounding / 2) * sample.magnitude;
    const double error = std::abs(double(actual.back()) - sample.expected);
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
                  static_cast<long long>(outcome.unwritten), static_cast<long long>(m_ * n));
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
    const float value = valueAt(y, output, worst->row * n + worst->column);
    std::snprintf(text, sizeof(text), ", the worst at %s: %.6g instead of %.6g", place(*worst).c_str(),
                  double(value), worst->expected);
    outcome.failure += text;
  }
  return outcome;
}

} // namespace algrt
