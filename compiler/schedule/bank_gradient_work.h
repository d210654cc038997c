// What a gradient of the bank has to do whatever its schedule.
#ifndef ALGCTL_COMPILER_SCHEDULE_BANK_GRADIENT_WORK_H
#define ALGCTL_COMPILER_SCHEDULE_BANK_GRADIENT_WORK_H

#include "algebras/layer.h"
#include "compiler/schedule/listed_rows.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace compiler {

struct BankGradientWork {
  double bank_rows; ///< row groups of dW
  double k, n;      ///< rows and columns of a block
  /// Of the blocks of one row group, the types whose rows they sum up, most first (group_order.h).
  std::vector<double> types_by_rank;
  double types;
  bool complete; ///< of the blocks of a row group one is of all types, each other one of a single type
  double rows;   ///< of the batch, M
  double macs;
  double x_bytes, dy_bytes, dw_bytes;
  std::optional<ListedRows> list; ///< where rows come from one

  /// Steps of `depth` rows each that a block of so many types takes: through all rows as they lie where all
  /// types have a part in it, else through those of each type.
  double steps(double of_types, double depth) const;
  /// Steps through all rows, type after type.
  double stepsTypeAfterType(double depth) const;
};

/// For `m` rows, with dW of type `output`. Groups have one width each, and row types are cyclic or intervals.
/// Throws algebras::InputError where m < 1 or counts leave 64 bits.
BankGradientWork bankGradientWork(const algebras::Layer &layer, std::int64_t m, algebras::DataType output);

} // namespace compiler

#endif
