#include "compiler/schedule/hopper_schedule.h"
#include "compiler/schedule/panels.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {

namespace {
struct Rows {
  std::int64_t rows, types, held_groups = 0;
};
} // namespace

/// Rows of tiles, those of one type first. Only types of a complete graph share anything.
static std::vector<Rows> rowsOfTiles(const algebras::Layer &layer) {
  std::vector<Rows> all = {{128, 1}, {64, 1}, {192, 1}, {256, 1}};
  for (const Rows &several : {Rows{64, 2}, {64, 3}, {64, 4}, {128, 2}})
    if (several.types <= layer.lift.completeGraph().value_or(0))
      all.push_back(several);
  // Held for so many groups, or for fewer where that gives more processors something to do.
  const std::vector<Rows> coming = all;
  for (const std::int64_t groups : {2, 4, 8, 16, 32})
    if (groups <= layer.lift.completeGraph().value_or(0))
      for (const Rows &rows : coming)
        all.push_back({rows.rows, rows.types, groups});
  return all;
}

std::vector<HopperConsidered> considerHopper(const algebras::Layer &layer, HopperOutput output) {
  const std::int64_t n = layer.out.width(0), k = layer.in.width(0);
  const std::int64_t deepest = std::clamp<std::int64_t>((k + 15) / 16 * 16, 16, 64);
  std::vector<HopperConsidered> considered;
  for (std::int64_t depth : {64, 32, 16})
    for (const Rows &shape : rowsOfTiles(layer))
      for (std::int64_t columns = 256; columns >= 16; columns -= 16) {
        HopperSchedule schedule{shape.rows, columns, depth, 0};
        schedule.types = shape.types;
        schedule.held_groups = shape.held_groups;
        std::optional<HopperRefusal> refused = refusal(layer, schedule, output);
        if (!refused)
          schedule.stages = stagesThatFit(schedule, output, heldBytes(schedule, k));
        // A tile may be wider than its group where that makes its panels wider, which are copied faster; not
        // where a whole panel would be zeros.
        if (!refused && columns - panelBytes(columns, 2) / 2 >= n)
          refused = {
              "wider than a group",
              fmt::format("{} columns: an output group has {}, and a panel would be zeros", columns, n)};
        // 48 deep is one stage of 64 with zeros, or three of 16: both are worth a look.
        if (!refused && depth / 2 >= deepest)
          refused = {"deeper than a group",
                     fmt::format("a depth of {}: an input group has {}, the rest would be zeros", depth, k)};
        considered.push_back({schedule, refused});
      }
  return considered;
}

std::vector<HopperSchedule> hopperCandidates(const algebras::Layer &layer, HopperOutput output) {
  std::vector<HopperSchedule> candidates;
  for (const HopperConsidered &considered : considerHopper(layer, output))
    if (!considered.refusal)
      candidates.push_back(considered.schedule);
  return candidates;
}

} // namespace compiler
