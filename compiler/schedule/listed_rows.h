// Rows that a list groups by type, as a model sees them that knows how many there are and not of which types.
#pragma once

#include "compiler/schedule/gpu_machine.h"

#include <cstdint>
#include <vector>

namespace compiler {

/// Threads of a block of the kernel that makes the list (compiler/targets/nvidia/group_rows.h), where nothing
/// else is said: each goes through a piece of the batch, so that many finish early.
inline constexpr int64_t group_rows_threads = 1024;

/// `rows` rows, each of any of the types with the same chance: on average a type has rows / types of them,
/// and their number is spread around that as in so many draws (the binomial distribution).
class ListedRows {
public:
  /// All are above 0. Of several networks, each of which has rows of its own one after another, each has such
  /// types, and `rows` is what all have together.
  ListedRows(int64_t rows, int64_t types, int64_t networks = 1);

  double rows() const { return static_cast<double>(row_count_); }
  double types() const { return static_cast<double>(type_count_); } ///< of all networks
  double networks() const { return static_cast<double>(networks_); }

  /// Blocks of `height` rows that all types have together, on average; the last one of a type may be partial.
  double blocks(double height) const;
  /// Blocks that are numbered for all types together, on average: for each as many as the longest has. The
  /// types' numbers of rows are taken as independent of each other.
  double numberedBlocks(double height) const;
  /// Bytes of the list in memory.
  double bytes() const { return 4 * (types() + 2 + rows()); }

private:
  /// That a type has so many rows or more.
  double atLeast(double rows_of_type) const;

  int64_t row_count_, type_count_, networks_;
  std::vector<double> at_least_; ///< of 0, 1, ... rows, as long as that is not next to impossible
};

/// Microseconds that making the list takes before the product, in the same stream.
double groupingTime(const ListedRows &rows, const GpuMachine &machine);

} // namespace compiler
