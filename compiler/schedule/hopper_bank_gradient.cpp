#include "compiler/schedule/hopper_bank_gradient.h"

#include "compiler/schedule/group_order.h"
#include "compiler/schedule/hopper_limits.h"
#include "compiler/schedule/panels.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {

using namespace hopper_limits;

std::int64_t bankGradientStagesThatFit(const HopperSchedule &schedule) {
  const std::int64_t left = hopper_shared_bytes - reserved_shared_bytes - exchangeBytes(schedule);
  return std::clamp<std::int64_t>(left / stageBytes(schedule), 0, most_stages);
}

MaybeRefusal bankGradientRefusal(const algebras::Layer &layer, const HopperSchedule &schedule) {
  if (schedule.types != 1 || schedule.held_groups != 0)
    return refuse("types",
                  "types or held rows in a gradient of the bank: its tiles have features and columns, "
                  "and sum up whatever types there are");
  if (schedule.rows_on == RowSide::N)
    return refuse("rows",
                  "features on side N: threads write dW row by row, which sums that are transposed do "
                  "not have");
  if (MaybeRefusal tile = refusalOfTile(schedule))
    return tile;
  if (MaybeRefusal cluster =
          refusalOfCluster(schedule, {"a step of X", schedule.depth}, {"a step of dY", schedule.depth}))
    return cluster;
  if (const std::string reason = whyNoBankOrder(layer.lift, schedule.long_groups); !reason.empty())
    return refuse("long groups", reason);
  if (MaybeRefusal split = refusalOfSplit(schedule))
    return split;
  return refusalOfStages(schedule, bankGradientStagesThatFit(schedule),
                         schedule.split > 1 ? fmt::format("{} bytes of others' sums", exchangeBytes(schedule))
                                            : "nothing");
}

/// Why a legal schedule is not worth a look. How deep a step may be depends on the rows of the batch, and is
/// for the cost to say.
static MaybeRefusal pointless(const algebras::Layer &layer, const HopperSchedule &schedule) {
  const std::int64_t k = layer.in.width(0), n = layer.out.width(0);
  if (schedule.rows - 64 >= k)
    return refuse("higher than a group",
                  fmt::format("{} rows: an input group has {} features, and all that a warpgroup has of them "
                              "would be zeros",
                              schedule.rows, k));
  if (schedule.columns - panelBytes(schedule.columns, 2) / 2 >= n)
    return refuse(
        "wider than a group",
        fmt::format("{} columns: an output group has {}, and a panel would be zeros", schedule.columns, n));
  const auto blocks = [](std::int64_t width, std::int64_t step) { return (width + step - 1) / step; };
  if (schedule.cluster_rows > blocks(k, schedule.rows) ||
      schedule.cluster_columns > blocks(n, schedule.columns))
    return refuse(
        "wider than a group",
        fmt::format("a cluster of {}x{} blocks: a block of the bank has {} of {} features and {} of "
                    "{} columns",
                    schedule.cluster_rows, schedule.cluster_columns, blocks(k, schedule.rows), schedule.rows,
                    blocks(n, schedule.columns), schedule.columns));
  return std::nullopt;
}

/// What is looked at of one tile: clusters that copy for each other, and blocks that divide it.
static std::vector<HopperSchedule> variantsOf(const HopperSchedule &tile) {
  std::vector<HopperSchedule> all = {tile};
  for (const auto &[rows, columns] : {std::pair(2, 1), {1, 2}, {2, 2}, {4, 1}, {1, 4}}) {
    all.push_back(tile);
    all.back().cluster_rows = rows;
    all.back().cluster_columns = columns;
  }
  for (const std::int64_t blocks : {2, 4, 8}) {
    all.push_back(tile);
    all.back().split = blocks;
  }
  return all;
}

std::vector<Considered<HopperSchedule>> considerHopperBankGradient(const algebras::Layer &layer) {
  const std::vector<double> types = typesByRank(layer.lift);
  const std::int64_t long_groups = types.size() > 1 ? longRanks(types) : 0;
  std::vector<Considered<HopperSchedule>> considered;
  for (const std::int64_t depth : {64, 32, 16})
    for (const std::int64_t rows : {64, 128, 192, 256})
      for (std::int64_t columns = 256; columns >= 16; columns -= 16)
        for (const std::int64_t turns : {1, 2}) {
          HopperSchedule tile{rows, columns, depth};
          tile.turns = turns;
          if (tile.warpgroups() > most_warpgroups)
            continue;
          // Long tiles first cost nothing.
          tile.long_groups = long_groups;
          for (HopperSchedule schedule : variantsOf(tile)) {
            if (turns > 1 && schedule.split > 1)
              continue;
            MaybeRefusal refused = bankGradientRefusal(layer, schedule);
            if (!refused)
              refused = pointless(layer, schedule);
            if (!refused)
              schedule.stages = bankGradientStagesThatFit(schedule);
            considered.push_back({schedule, std::move(refused)});
          }
        }
  return considered;
}

} // namespace compiler
