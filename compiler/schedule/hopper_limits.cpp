#include "compiler/schedule/hopper_limits.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler::hopper_limits {

// What ptxas wants for a tensor-core instruction beside its sums. It holds each kernel to the registers that
// a thread has when the block starts, before the roles deal them out anew.
static constexpr std::int64_t registers_beside_sums = 26;

/// Tiles that the tensor cores have instructions for.
static MaybeRefusal refusalOfSides(const HopperSchedule &schedule) {
  if (schedule.rows_on == RowSide::N) {
    if (schedule.rows < 8 || schedule.rows > 256 || schedule.rows % 8 != 0)
      return refuse("rows",
                    fmt::format("{} rows on side N: a tile has 8 to 256, a multiple of 8", schedule.rows));
    if (schedule.columns < 64 || schedule.columns % 64 != 0 || schedule.warpgroupsOfTile() > most_warpgroups)
      return refuse("columns",
                    fmt::format("{} columns on side M: a tile has 64 for each of 1 to {} warpgroups",
                                schedule.columns, most_warpgroups));
    if (schedule.types > 1 || schedule.held_groups > 0)
      return refuse("rows",
                    "rows on side N: warpgroups are dealt out by columns there, so that a tile has one type "
                    "and holds no rows");
    return std::nullopt;
  }
  if (schedule.rows < 64 || schedule.rows % 64 != 0 || schedule.warpgroupsOfTile() > most_warpgroups)
    return refuse("rows",
                  fmt::format("{} rows{}: a tile has 64 for each of 1 to {} warpgroups", schedule.rows,
                              schedule.types == 1 ? "" : fmt::format(" of {} types", schedule.types),
                              most_warpgroups));
  if (schedule.columns < 16 || schedule.columns > 256 || schedule.columns % 16 != 0)
    return refuse("columns",
                  fmt::format("{} columns: a tile has 16 to 256, a multiple of 16", schedule.columns));
  return std::nullopt;
}

MaybeRefusal refusalOfTile(const HopperSchedule &schedule, std::int64_t weights) {
  if (MaybeRefusal sides = refusalOfSides(schedule))
    return sides;
  if (schedule.turns < 1 || schedule.warpgroups() > most_warpgroups)
    return refuse("turns", fmt::format("{} turns of {} warpgroups: {} warpgroups multiply at most",
                                       schedule.turns, schedule.warpgroupsOfTile(), most_warpgroups));
  if (schedule.depth != 16 && schedule.depth != 32 && schedule.depth != 64)
    return refuse("depth", fmt::format("a depth of {}: a stage is one swizzled panel of X deep, 16, 32 or 64",
                                       schedule.depth));
  const std::int64_t registers = std::min<std::int64_t>(255, 65536 / schedule.threads() / 8 * 8);
  const std::int64_t needed = weights * schedule.instructionWidth() / 2 + registers_beside_sums;
  if (needed > registers)
    return refuse("registers",
                  fmt::format("{} {}: a product takes {} registers of a thread for its sums and beside them, "
                              "but {} threads start with {} each",
                              schedule.instructionWidth(),
                              schedule.rows_on == RowSide::M ? "columns" : "rows", needed, schedule.threads(),
                              registers));
  return std::nullopt;
}

MaybeRefusal refusalOfCluster(const HopperSchedule &schedule, const SharedRows &by_columns,
                              const SharedRows &by_rows) {
  constexpr std::int64_t most_blocks = 8;
  for (const std::int64_t blocks : {schedule.cluster_rows, schedule.cluster_columns})
    if (blocks != 1 && blocks != 2 && blocks != 4)
      return refuse("cluster", fmt::format("a cluster of {}x{} blocks: 1, 2 or 4 in each direction",
                                           schedule.cluster_rows, schedule.cluster_columns));
  if (schedule.cluster() > most_blocks)
    return refuse("cluster", fmt::format("a cluster of {}x{} blocks: at most {} run together",
                                         schedule.cluster_rows, schedule.cluster_columns, most_blocks));
  // Each block of a cluster loads a part of what it shares: whole periods of 8 rows of the swizzle.
  constexpr std::int64_t period = 8;
  if (by_columns.rows / schedule.cluster_columns % period != 0 ||
      by_rows.rows / schedule.cluster_rows % period != 0)
    return refuse("cluster",
                  fmt::format("a cluster of {}x{} blocks: {} rows of {} and {} of {} cannot be loaded in "
                              "parts that are multiples of {}",
                              schedule.cluster_rows, schedule.cluster_columns, by_columns.rows,
                              by_columns.name, by_rows.rows, by_rows.name, period));
  return std::nullopt;
}

MaybeRefusal refusalOfSplit(const HopperSchedule &schedule) {
  const std::int64_t split = schedule.split;
  if (split == 1)
    return std::nullopt;
  if (split != 2 && split != 4 && split != 8)
    return refuse("split", fmt::format("split={}: 1, 2, 4 or 8 blocks own a tile together", split));
  if (schedule.types > 1)
    return refuse("split", "a split of tiles of several types: no kernel has both yet");
  if (schedule.held_groups > 0)
    return refuse("split", "a split with held rows: they are for a block that takes all steps of a tile");
  if (schedule.cluster() > 1)
    return refuse("split",
                  fmt::format("a split in a cluster of {}x{}: its blocks take other steps, and would "
                              "copy nothing for each other",
                              schedule.cluster_rows, schedule.cluster_columns));
  if (schedule.turns > 1)
    return refuse("split",
                  "a split with turns: each part would exchange sums of its own; no kernel has both yet");
  // Each block stores a part: whole pieces of 8 of the sums that a thread holds, whole panels of the result.
  const std::int64_t step = schedule.rows_on == RowSide::M ? 16 : 8;
  if (schedule.instructionWidth() % (split * step) != 0)
    return refuse("split", fmt::format("split={}: {} {} have no {} equal parts that are multiples of {}",
                                       split, schedule.instructionWidth(),
                                       schedule.rows_on == RowSide::M ? "columns" : "rows", split, step));
  return std::nullopt;
}

MaybeRefusal refusalOfStages(const HopperSchedule &schedule, std::int64_t fit, const std::string &beside,
                             std::int64_t weights) {
  if (fit < 2)
    return refuse("shared memory",
                  fmt::format("two stages of {} bytes and {} do not fit the {} bytes of shared memory",
                              stageBytes(schedule, weights), beside, hopper_shared_bytes));
  if (schedule.stages < 0 || schedule.stages == 1)
    return refuse("stages", fmt::format("{} stages: a ring needs at least 2, or 0 for as many as fit",
                                        schedule.stages));
  if (schedule.stages > fit)
    return refuse("shared memory",
                  fmt::format("{} stages of {} bytes and {} exceed the {} bytes of shared memory; {} fit",
                              schedule.stages, stageBytes(schedule, weights), beside, hopper_shared_bytes,
                              fit));
  return std::nullopt;
}

} // namespace compiler::hopper_limits
