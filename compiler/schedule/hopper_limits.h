// What the machine allows of a schedule whatever map it is for.
#ifndef ALGCTL_COMPILER_SCHEDULE_HOPPER_LIMITS_H
#define ALGCTL_COMPILER_SCHEDULE_HOPPER_LIMITS_H

#include "compiler/schedule/hopper_schedule.h"

#include <string>

namespace compiler::hopper_limits {

/// Tiles that the tensor cores have instructions for, warpgroups, the depth of a stage, registers for the
/// sums of so many products.
MaybeRefusal refusalOfTile(const HopperSchedule &schedule, std::int64_t weights = 1);

/// An operand of which every block of a cluster loads a part for all of its row, or of its column.
struct SharedRows {
  const char *name; ///< "X"
  std::int64_t rows;
};
/// Clusters that copy for each other: `by_columns` is what blocks of columns share, `by_rows` blocks of rows.
MaybeRefusal refusalOfCluster(const HopperSchedule &schedule, const SharedRows &by_columns,
                              const SharedRows &by_rows);

/// Tiles whose steps several blocks divide.
MaybeRefusal refusalOfSplit(const HopperSchedule &schedule);

/// The stages against those that `fit` beside `beside`, in words.
MaybeRefusal refusalOfStages(const HopperSchedule &schedule, std::int64_t fit, const std::string &beside,
                             std::int64_t weights = 1);

} // namespace compiler::hopper_limits

#endif
