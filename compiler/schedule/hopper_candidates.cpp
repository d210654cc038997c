#include "compiler/schedule/group_order.h"
#include "compiler/schedule/hopper_schedule.h"
#include "compiler/schedule/panels.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {

namespace {
/// Rows of a tile, of each of its types.
struct Rows {
  std::int64_t rows, types, held_groups = 0;
};
} // namespace

/// Rows of tiles, those of one type first. Only types of a complete graph share anything.
static std::vector<Rows> rowsOfTiles(const algebras::Layer &layer) {
  std::vector<Rows> all = {{128, 1}, {64, 1}, {192, 1}, {256, 1}};
  if (layer.lift.isTransposed())
    return all;
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

/// A tile that all warpgroups work on, and where two parts of them can take turns, one of each part.
static void addTurns(const HopperSchedule &tile, std::vector<HopperSchedule> &all) {
  all.push_back(tile);
  if (tile.types > 1 || tile.held_groups > 0 || 2 * tile.warpgroupsOfTile() > most_warpgroups)
    return;
  all.push_back(tile);
  all.back().turns = 2;
}

/// Tiles of all sizes that the tensor cores have instructions for, with rows on either side.
static std::vector<HopperSchedule> tiles(const algebras::Layer &layer) {
  std::vector<HopperSchedule> all;
  for (const std::int64_t depth : {64, 32, 16}) {
    for (const Rows &shape : rowsOfTiles(layer))
      for (std::int64_t columns = 256; columns >= 16; columns -= 16) {
        HopperSchedule tile{shape.rows, columns, depth};
        tile.types = shape.types;
        tile.held_groups = shape.held_groups;
        addTurns(tile, all);
      }
    // Few rows fill side N of an instruction, many fill side M as well.
    for (const std::int64_t rows : {8, 16, 24, 32, 48, 64, 96, 128})
      for (const std::int64_t columns : {256, 192, 128, 64}) {
        HopperSchedule tile{rows, columns, depth};
        tile.rows_on = RowSide::N;
        addTurns(tile, all);
      }
  }
  return all;
}

/// Why a legal schedule is not worth a look: parts of its blocks would be zeros for every tile.
static MaybeRefusal pointless(const algebras::Layer &layer, const HopperSchedule &schedule) {
  const std::int64_t n = layer.out.width(0), k = layer.in.width(0);
  // A tile may be wider than its group where that makes its panels wider, which are copied faster; not where
  // a whole panel would be zeros.
  if (schedule.columns - panelBytes(schedule.columns, 2) / 2 >= n)
    return Refusal{
        "wider than a group",
        fmt::format("{} columns: an output group has {}, and a panel would be zeros", schedule.columns, n)};
  // 48 deep is one stage of 64 with zeros, or three of 16: both are worth a look.
  const std::int64_t deepest = std::clamp<std::int64_t>((k + 15) / 16 * 16, 16, 64);
  if (schedule.depth / 2 >= deepest)
    return Refusal{"deeper than a group",
                   fmt::format("a depth of {}: an input group has {}, the rest would be "
                               "zeros",
                               schedule.depth, k)};
  const std::int64_t column_blocks = (n + schedule.columns - 1) / schedule.columns;
  if (schedule.cluster_columns > column_blocks)
    return Refusal{"wider than a group",
                   fmt::format("a cluster of {}x{} blocks: an output group has {} blocks of {} columns",
                               schedule.cluster_rows, schedule.cluster_columns, column_blocks,
                               schedule.columns)};
  return std::nullopt;
}

/// What is looked at beside a legal schedule of single blocks: clusters of up to 4 blocks, which every device
/// that runs clusters runs without leaving many processors over; splits, which are for few tiles, so that it
/// matters little in which order they come; and where some groups are long, these first, with splits that are
/// of them alone.
static std::vector<HopperSchedule> variantsOf(const HopperSchedule &single, std::int64_t long_groups) {
  std::vector<HopperSchedule> all;
  const auto add = [&](std::int64_t split, std::int64_t ordered) -> HopperSchedule & {
    all.push_back(single);
    all.back().split = split;
    all.back().long_groups = ordered;
    all.back().stages = 0;
    return all.back();
  };
  for (const auto &[rows, columns] : {std::pair(2, 1), {4, 1}, {1, 2}, {1, 4}, {2, 2}})
    for (const std::int64_t ordered : {std::int64_t{0}, long_groups}) {
      HopperSchedule &cluster = add(/*split=*/1, ordered);
      cluster.cluster_rows = rows;
      cluster.cluster_columns = columns;
      cluster.stages = single.stages;
      if (long_groups == 0)
        break;
    }
  if (single.turns == 1 && single.outer == OuterAxis::Types)
    for (const std::int64_t split : {2, 4, 8})
      add(split, 0);
  if (long_groups > 0)
    for (const std::int64_t split : {1, 2, 4, 8})
      if (split == 1 || single.turns == 1)
        add(split, long_groups);
  return all;
}

std::vector<Considered<HopperSchedule>> considerHopper(const algebras::Layer &layer,
                                                       algebras::DataType output) {
  std::vector<Considered<HopperSchedule>> considered;
  const auto consider = [&](HopperSchedule schedule) {
    MaybeRefusal refused = refusal(layer, schedule, output);
    if (!refused) {
      schedule.stages =
          stagesThatFit(schedule, output, heldBytes(schedule, layer.in.width(0)), layer.fused.weights);
      refused = pointless(layer, schedule);
    }
    considered.push_back({schedule, refused});
    return !refused;
  };
  // A product's groups differ less than a gradient's.
  const std::int64_t long_groups = layer.lift.isTransposed() ? longGroups(layer.lift) : 0;
  for (HopperSchedule schedule : tiles(layer))
    for (const OuterAxis outer : {OuterAxis::Types, OuterAxis::Groups}) {
      schedule.outer = outer;
      if (!consider(schedule) || schedule.types > 1 || schedule.held_groups > 0)
        continue;
      bool legal = true;
      for (const HopperSchedule &variant : variantsOf(considered.back().schedule, long_groups))
        // A cluster that cannot be cannot be in another order either.
        if (legal || variant.cluster() == 1 || variant.long_groups == 0)
          legal = consider(variant);
    }
  return considered;
}

} // namespace compiler
