#include "compiler/schedule/cpu_gradient_schedule.h"

#include "compiler/schedule/cpu_schedule.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>

namespace compiler {

// Round numbers, as those of cpu_core; of sums vectors in a cycle, taken out of the cache and put back.
static constexpr double sums_per_cycle = 0.5;
static constexpr double cycles_per_row = 6;      // finding a row of a type
static constexpr double cycles_per_product = 20; // setting up the loop over rows of one register tile
static constexpr double cycles_per_square = 130; // transposing 32 rows of 16 features

/// Register tiles that have room in the registers.
static std::vector<CpuGradientSchedule> registerTilesOfGradient(const algebras::Layer &layer,
                                                                const CpuLevel &level) {
  CpuGradientSchedule tile;
  tile.lanes = level.lanes;
  tile.pairs = usesPairs(layer, level);
  std::vector<CpuGradientSchedule> tiles;
  for (int64_t vectors = 1; vectors <= 4; ++vectors)
    for (int64_t register_features = 2; register_features <= 14; ++register_features) {
      // The reasons are those of a product's register tile: latency, and room for sums, a panel's vectors and
      // one broadcast.
      const int64_t sums = register_features * vectors;
      if (sums < 8 || sums + vectors + 1 > level.registers)
        continue;
      tile.register_features = register_features;
      tile.register_columns = vectors * level.lanes;
      tiles.push_back(tile);
    }
  if (!level.amx || !tile.pairs)
    return tiles;
  tile.unit = MultiplyUnit::Amx;
  for (int64_t down = 1; down <= CpuSchedule::amx_sums; down *= 2)
    for (int64_t across = 1; down * across <= CpuSchedule::amx_sums; across *= 2) {
      tile.register_features = down * CpuSchedule::amx_rows;
      tile.register_columns = across * CpuSchedule::amx_columns;
      tiles.push_back(tile);
    }
  return tiles;
}

/// Dot products of pairs take four times as long on processors with AMX as on those that the costs are fitted
/// to (some 20 multiplications in a cycle were measured, where AMX has 512), so that the unit is ahead of
/// vectors unless its squares are nearly empty.
static MaybeRefusal refuseVectors(const algebras::Layer &layer, const CpuLevel &level,
                                  const CpuGradientSchedule &schedule) {
  if (schedule.unit == MultiplyUnit::Amx || !schedule.pairs || !level.amx)
    return std::nullopt;
  const int64_t features = layer.in.widest(), columns = layer.out.widest();
  constexpr int64_t least_filled = 8; // one of so many elements of a square
  if (features * columns * least_filled <
      roundUp(features, CpuSchedule::amx_rows) * roundUp(columns, CpuSchedule::amx_columns))
    return std::nullopt;
  return refuse("matrix unit", fmt::format("groups of {} and {} fill squares of AMX, which is faster than "
                                           "dot products of pairs",
                                           features, columns));
}

std::vector<Considered<CpuGradientSchedule>> considerCpuGradient(const algebras::Layer &layer,
                                                                 const CpuLevel &level) {
  const int64_t most_features = layer.in.widest(), most_columns = layer.out.widest();
  std::vector<Considered<CpuGradientSchedule>> considered;
  for (CpuGradientSchedule schedule : registerTilesOfGradient(layer, level)) {
    const MaybeRefusal refused = refuseVectors(layer, level, schedule);
    std::vector<int64_t> all_down = {1, 2, 4, 8, 16, 32}, all_across = {1, 2, 4, 8};
    // Vectors have register tiles of any number of features and of 48 columns; a group of 192 is to be one
    // tile of AMX, too.
    if (schedule.unit == MultiplyUnit::Amx) {
      all_down = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
      all_across = {1, 2, 3, 4, 6, 8, 12, 16};
    }
    for (const int64_t down : all_down)
      for (const int64_t across : all_across)
        for (int64_t rows : {32, 64, 128, 256}) {
          schedule.features = down * schedule.register_features;
          schedule.columns = across * schedule.register_columns;
          schedule.rows = rows;
          // Tiles beyond a block, by more than a register tile, hold nothing.
          if (down > 1 && schedule.features >=
                              roundUp(most_features, schedule.register_features) + schedule.register_features)
            continue;
          if (across > 1 && schedule.columns >=
                                roundUp(most_columns, schedule.register_columns) + schedule.register_columns)
            continue;
          // Sums are f32, rows brought near are what is multiplied.
          const int64_t element = schedule.pairs ? 2 : 4;
          const int64_t sums_bytes = schedule.features * schedule.columns * 4;
          const int64_t panel_bytes = rows * schedule.register_columns * element;
          if (sums_bytes + rows * schedule.features * element + panel_bytes > level.l2 / 2 ||
              panel_bytes > level.l1 / 2)
            continue;
          considered.push_back({schedule, refused});
        }
  }
  return considered;
}

Cost cpuGradientCost(const algebras::Layer &layer, const CpuGradientSchedule &schedule, int64_t m,
                     int64_t cores) {
  const algebras::Lift &lift = layer.lift;
  const double element = static_cast<double>(byteWidth(layer.dtype));
  const double vectors = static_cast<double>(schedule.register_columns / schedule.lanes);
  const double tile_features = static_cast<double>(schedule.register_features);
  auto tiles_of = [](const algebras::Groups &groups, int64_t step) {
    double tiles = 0;
    for (int64_t group = 0; group < groups.count(); ++group)
      tiles += static_cast<double>((groups.width(group) + step - 1) / step);
    return tiles / static_cast<double>(groups.count());
  };
  // Blocks stand for each other: each term costs as much as any other, with rows of its type alone.
  const double terms = static_cast<double>(lift.termCount());
  const double types = static_cast<double>(std::min(lift.types(), std::max<int64_t>(m, 1)));
  const double rows = static_cast<double>(m) / types;
  const double used_terms = terms * types / static_cast<double>(lift.types());
  const double chunks = std::ceil(rows / static_cast<double>(schedule.rows));
  const double tiles_of_block = tiles_of(layer.in, schedule.features) * tiles_of(layer.out, schedule.columns);
  const double register_tiles =
      tiles_of(layer.in, schedule.register_features) * tiles_of(layer.out, schedule.register_columns);

  // Pairs go as they are, everything else is widened; an odd last row is half a pair.
  const double brought_element = schedule.pairs ? 2 : 4;
  const bool amx = schedule.unit == MultiplyUnit::Amx;
  const double steps = std::ceil(rows / static_cast<double>(schedule.depth()));
  double brought = rows * tiles_of_block *
                   (static_cast<double>(schedule.features + schedule.columns) * (element + brought_element) /
                        cpu_core.copied_bytes +
                    2 * cycles_per_row);
  if (amx)
    brought += steps * tiles_of_block * static_cast<double>(schedule.features / CpuSchedule::amx_rows) *
               cycles_per_square;
  const double step = std::max(tile_features * vectors / cpu_core.multiplications,
                               (tile_features + vectors) / cpu_core.loads);
  double of_register_tile =
      steps * step + chunks * (tile_features * vectors / sums_per_cycle + cycles_per_product);
  if (amx) {
    const double down = tile_features / CpuSchedule::amx_rows,
                 across = static_cast<double>(schedule.register_columns / CpuSchedule::amx_columns);
    const double step_of_squares = std::max(
        {down * across * cpu_core.amx_product, (down + across) * cpu_core.amx_rows, cpu_core.amx_latency});
    of_register_tile =
        steps * step_of_squares +
        chunks * (down * across * (cpu_core.amx_panel + cpu_core.amx_store) + cycles_per_product);
  }
  const double multiplied = register_tiles * of_register_tile;
  const double blocks =
      static_cast<double>(lift.weightRows()) *
      static_cast<double>(lift.kind() == algebras::Lift::Kind::Rows ? lift.outputGroups() : 1);
  const double store =
      blocks * register_tiles * tile_features * vectors *
      (2 / sums_per_cycle + static_cast<double>(schedule.lanes) * element / cpu_core.stored_bytes);
  const double workers = static_cast<double>(cores);
  const double tasks = blocks * tiles_of_block;
  // In the slot lift blocks lie side by side: each has all columns of one slot.
  const bool rows_lift = lift.kind() == algebras::Lift::Kind::Rows;
  Cost cost;
  cost.tiles = cost.turns =
      static_cast<double>(layer.in.count() * (rows_lift ? layer.out.count() : 1)) * tiles_of_block;
  cost.waves = cost.tiles / workers;
  cost.busy = {{"bring", used_terms * brought}, {"store", store}, {"multiply", used_terms * multiplied}};
  addInTurn(cost, std::ceil(tasks / workers) * workers / tasks);
  return cost;
}

CpuGradientSchedule chooseCpuGradientSchedule(const algebras::Layer &layer, const CpuLevel &level,
                                              int64_t m) {
  const auto considered = considerCpuGradient(layer, level);
  const CpuGradientSchedule *best = cheapest(
      considered, [&](const CpuGradientSchedule &schedule) { return cpuGradientCost(layer, schedule, m); });
  assert(best && "one register tile is always a candidate");
  return *best;
}

} // namespace compiler
