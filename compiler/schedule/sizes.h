// The numbers of a staged schedule as costs count with them.
#pragma once

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
        stationary_groups(number(schedule.stationary_groups)), ping_pong(number(schedule.ping_pong)),
        split_k(number(schedule.split_k)), together(number(schedule.blocksTogether())),
        longest_first(number(schedule.longest_first)) {}

  double rows, columns, depth, stages, threads, warps, warp_rows, warp_columns, vector, types, cluster_rows,
      cluster_columns, stationary_groups, ping_pong, split_k;
  double together; ///< blocks that run together
  double longest_first;

private:
  static double number(int64_t value) { return static_cast<double>(value); }
};

/// Bytes of the panels that a row of so many elements of bf16 lies in.
inline double panelOf(int64_t elements) { return static_cast<double>(panelBytes(elements, 2)); }

} // namespace compiler
