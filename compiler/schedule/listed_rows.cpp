#include "compiler/schedule/listed_rows.h"

#include <algorithm>
#include <cmath>

namespace compiler {

// Assumptions in cycles, to be calibrated on a device.
// One row of a thread's piece: its number, from the first-level cache seven times of eight, what type that
// is, and two sums.
static constexpr double cycles_per_row = 70;
// The two meetings of a block, and the sums of its warps.
static constexpr double cycles_per_type = 400;
// A block goes through all rows, or those of one network, twice: once to count, once to list.
static constexpr double walks = 2;

ListedRows::ListedRows(int64_t rows, int64_t types, int64_t networks)
    : row_count_(rows), type_count_(types * networks), networks_(networks) {
  constexpr double impossible = 1e-12;
  const double n = this->rows(), p = 1 / this->types();
  if (type_count_ == 1) {
    at_least_.assign(static_cast<size_t>(rows) + 1, 1);
    return;
  }
  // That a type has exactly so many, by logarithms: the first of many rows is far below what fits a double.
  const auto exactly = [&](double count) {
    return std::exp(std::lgamma(n + 1) - std::lgamma(count + 1) - std::lgamma(n - count + 1) +
                    count * std::log(p) + (n - count) * std::log1p(-p));
  };
  double left = 1;
  for (int64_t count = 0; count <= rows && left > impossible; ++count) {
    at_least_.push_back(left);
    left -= exactly(static_cast<double>(count));
  }
}

double ListedRows::atLeast(double rows_of_type) const {
  const auto index = static_cast<size_t>(rows_of_type);
  return index < at_least_.size() ? at_least_[index] : 0;
}

double ListedRows::blocks(double height) const {
  // A type has block b where it has more than b * height rows.
  double sum = 0;
  for (double first = 0; first < static_cast<double>(at_least_.size()); first += height)
    sum += atLeast(first + 1);
  return types() * sum;
}

double ListedRows::numberedBlocks(double height) const {
  // Some type has as many rows as all have on average.
  const double certain = std::ceil(rows() / types());
  double sum = 0;
  for (double first = 0; first < static_cast<double>(at_least_.size()); first += height)
    sum += first < certain ? 1 : 1 - std::pow(1 - atLeast(first + 1), types());
  return types() * sum;
}

double groupingTime(const ListedRows &rows, const GpuMachine &machine) {
  constexpr double threads = group_rows_threads;
  const double together = std::min<double>(machine.most_blocks, std::floor(machine.most_threads / threads));
  const double turns = std::ceil((rows.types() + 1) / (machine.multiprocessors * together));
  const double piece = std::ceil(rows.rows() / rows.networks() / threads);
  const double listing = turns * (walks * piece * cycles_per_row + cycles_per_type);
  // One block looks for the most rows of a type among all.
  const double counting = std::ceil(rows.rows() / threads) * cycles_per_row + cycles_per_type;
  return machine.launch_us + std::max(listing, counting) / machine.clock;
}

} // namespace compiler
