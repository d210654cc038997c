// The numbers of a staged schedule as costs count with them.
#ifndef ALGCTL_COMPILER_SCHEDULE_SIZES_H
#define ALGCTL_COMPILER_SCHEDULE_SIZES_H

#include "compiler/schedule/panels.h"
#include "compiler/schedule/schedule.h"

namespace compiler {

struct Sizes {
  explicit Sizes(const StagedSchedule &schedule)
      : rows(number(schedule.rows)), columns(number(schedule.columns)), depth(number(schedule.depth)),
        stages(number(schedule.stages)), threads(number(schedule.threads())), warps(number(schedule.warps())),
        warp_rows(number(schedule.warp_rows)), warp_columns(number(schedule.warp_columns)),
        vector(number(schedule.vector)), types(number(schedule.types)),
        cluster_rows(number(schedule.cluster_rows)), cluster_columns(number(schedule.cluster_columns)),
        held_groups(number(schedule.held_groups)), turns(number(schedule.turns)),
        split(number(schedule.split)), together(number(schedule.blocksTogether())),
        long_groups(number(schedule.long_groups)) {}

  double rows, columns, depth, stages, threads, warps, warp_rows, warp_columns, vector, types, cluster_rows,
      cluster_columns, held_groups, turns, split;
  double together; ///< blocks that run together
  double long_groups;

private:
  static double number(std::int64_t value) { return static_cast<double>(value); }
};

/// Bytes of the panels that a row of so many elements of bf16 lies in.
inline double panelOf(std::int64_t elements) { return static_cast<double>(panelBytes(elements, 2)); }

} // namespace compiler

#endif
