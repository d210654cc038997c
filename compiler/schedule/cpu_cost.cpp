#include "compiler/schedule/cpu_schedule.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace compiler {

// Round numbers, as those of cpu_core.
static constexpr double cycles_per_term = 12; // setting up one term's loop
static constexpr double cycles_per_tile = 30; // setting up one register tile and its stores

static bool writesWholeLines(const algebras::Layer &layer, const CpuSchedule &schedule) {
  constexpr int64_t cache_line = 64;
  const int64_t element = byteWidth(layer.dtype);
  return layer.out.isEqual() && layer.out.width(0) % schedule.register_columns == 0 &&
         schedule.register_columns * element % cache_line == 0 && schedule.lanes * element >= cache_line / 2;
}

/// Of all groups, each filled up to a multiple of `step`.
static double paddedTotal(const algebras::Groups &groups, int64_t step) {
  if (groups.isEqual())
    return static_cast<double>(groups.count()) * static_cast<double>(roundUp(groups.width(0), step));
  double total = 0;
  for (const int64_t width : groups.widths())
    total += static_cast<double>(roundUp(width, step));
  return total;
}

Cost cpuCost(const algebras::Layer &layer, const CpuSchedule &schedule, int64_t m, int64_t cores) {
  const algebras::Lift &lift = layer.lift;
  const double element = static_cast<double>(byteWidth(layer.dtype));
  const double depth_step = static_cast<double>(schedule.depth());
  const double weights = static_cast<double>(layer.fused.weights);
  const double vectors = static_cast<double>(schedule.register_columns / schedule.lanes);
  const double tile_rows = static_cast<double>(schedule.register_rows);

  // One pass over the groups with the average depth and number of terms stands for all of them: the supports
  // of an algebra differ from type to type, but a schedule is chosen for all.
  const double slots = static_cast<double>(lift.types()) * static_cast<double>(lift.outputGroups());
  const double terms = static_cast<double>(lift.termCount()) / slots;
  const double depth =
      terms * paddedTotal(layer.in, schedule.depth()) / static_cast<double>(lift.inputGroups());
  const double padded_columns = paddedTotal(layer.out, schedule.register_columns);
  const int64_t rows_of_type = std::max<int64_t>(1, (m + lift.types() - 1) / lift.types());
  const double types = static_cast<double>(std::min(lift.types(), m));
  const double tiles_of_type = static_cast<double>(roundUp(rows_of_type, schedule.register_rows)) / tile_rows;
  const double tiles =
      types * tiles_of_type * padded_columns / static_cast<double>(schedule.register_columns);
  const double row_blocks = static_cast<double>(roundUp(rows_of_type, schedule.rows) / schedule.rows);

  // Of two products whose columns fill at most half a vector each, both share one: the last tile of a group
  // multiplies half as much.
  const int64_t columns_left = layer.out.isEqual() ? layer.out.width(0) % schedule.lanes : 0;
  const bool shares = layer.fused.weights == 2 && schedule.register_columns == schedule.lanes &&
                      schedule.weights != WeightAccess::Direct && columns_left > 0 &&
                      columns_left <= schedule.lanes / 2 && productsTogether(schedule, 2) == 2;
  const double halves = shares
                            ? static_cast<double>(schedule.lanes) /
                                  static_cast<double>(roundUp(layer.out.width(0), schedule.register_columns))
                            : 0;

  // As many weight matrices at a time as the registers allow; the sums of those before wait in memory.
  const int64_t together = productsTogether(schedule, layer.fused.weights);
  double multiply = 0;
  const bool amx = schedule.unit == MultiplyUnit::Amx;
  for (int64_t done = 0; done < layer.fused.weights; done += together) {
    const double columns = vectors * static_cast<double>(std::min(together, layer.fused.weights - done));
    if (amx) {
      const double rows = tile_rows / CpuSchedule::amx_rows;
      const double step =
          std::max({rows * columns * cpu_core.amx_product,
                    rows * cpu_core.amx_rows + columns * cpu_core.amx_panel, cpu_core.amx_latency});
      // Sums go through memory on their way to the maps.
      multiply += depth / depth_step * step + terms * cycles_per_term + rows * columns * cpu_core.amx_store +
                  tile_rows * columns / cpu_core.loads;
      continue;
    }
    const auto step = [&](double multiplied) {
      return std::max(tile_rows * multiplied / cpu_core.multiplications,
                      (tile_rows + columns) / cpu_core.loads);
    };
    multiply += depth / depth_step * ((1 - halves) * step(columns) + halves * step(columns / 2)) +
                terms * cycles_per_term;
    if (done > 0)
      multiply += cycles_per_tile + 2 * tile_rows * columns / cpu_core.loads;
  }
  multiply = tiles * (multiply + cycles_per_tile);
  const double copy_rows = static_cast<double>(m) * static_cast<double>(layer.in.total()) *
                           (element + (schedule.pairs ? 2 : 4)) / cpu_core.copied_bytes;

  // The weight matrix passes once for every block of rows. Of what several owned types share, they bring one
  // copy.
  const double shared = lift.completeGraph() ? (1 + 1 / static_cast<double>(schedule.types)) / 2 : 1;
  const double weight_bytes = weights * types * row_blocks * depth * padded_columns * element * shared;
  double bring_weights = 0;
  switch (schedule.weights) {
  case WeightAccess::Packed: {
    // Streams in behind the multiplications; only what is slower than they are shows. Behind those of a
    // matrix unit, a few long instructions, a core looks ahead less far.
    const double hidden = amx ? 0.8 * multiply : multiply;
    bring_weights =
        std::max(0.0, weight_bytes / cpu_core.far_bytes - hidden) + 0.1 * weight_bytes / cpu_core.far_bytes;
    break;
  }
  case WeightAccess::Copied: {
    // A panel has a piece of each row of the weight matrix. Rows whose lengths are round share few sets of a
    // cache, and have left it before the next panel comes for the rest of their lines. Vectors, whose panels
    // are half a line and more, are not counted so; of a transposed weight matrix a panel has whole rows.
    const double piece = static_cast<double>(schedule.register_columns) * element;
    const double pieces = amx && !lift.isTransposed() ? 1 + 128 / piece : 1;
    bring_weights = weight_bytes * pieces / cpu_core.copied_bytes;
    break;
  }
  case WeightAccess::Direct: {
    // Every tile of rows reads the weight matrix with the user's row stride. Each piece of a row costs about
    // two cache lines more than it holds, so that wide panels read better.
    const double piece = static_cast<double>(schedule.register_columns) * element;
    const double read = weight_bytes * tiles_of_type / row_blocks * (1 + 128 / piece) / cpu_core.far_bytes;
    bring_weights = std::max(0.0, read - multiply) + 0.1 * read;
    break;
  }
  }
  // Tasks come in rounds of one for each worker; in the last round some have nothing to do.
  const double workers = static_cast<double>(cores);
  const double tasks = std::max(1.0, types / static_cast<double>(schedule.types)) * row_blocks;
  const algebras::Fused &fused = layer.fused;
  const auto bytes_like_y = [&](int64_t matrices, int64_t bytes_of_element) {
    const double of_element = bytes_of_element != 0 ? static_cast<double>(bytes_of_element)
                                                    : static_cast<double>(matrices) * element;
    return static_cast<double>(m) * static_cast<double>(layer.out.total()) * of_element;
  };
  double store = bytes_like_y(fused.results, fused.result_bytes) / cpu_core.stored_bytes;
  // Whole lines go past the cache; pieces of one make the machine read it first, and write it later. No store
  // of bf16 goes past it, but tiles of whole lines are the faster ones there, too: without this factor 64
  // rows of 4096 -> 12288 were given tiles of 16 columns, and took a tenth longer. Not so of AMX: of 16
  // columns a tile has all rows of a task, and the next columns of these follow before the lines have left
  // the caches. Lines of several matrices have left: rows of a type often lie a multiple of 64 KB apart, and
  // a cache keeps as many of them as it has ways. The gradient of a network at 2048 rows took a tenth longer.
  const bool leave =
      fused.results + fused.element_operands > 1 && layer.out.widest() >= 2 * CpuSchedule::amx_columns;
  if ((!amx || leave) && !writesWholeLines(layer, schedule))
    store *= 2;
  store += bytes_like_y(fused.element_operands, fused.operand_bytes) / cpu_core.far_bytes;
  Cost cost;
  cost.tiles = cost.turns =
      std::ceil(static_cast<double>(lift.types()) / static_cast<double>(schedule.types)) *
      std::ceil(static_cast<double>(m) / static_cast<double>(lift.types() * schedule.rows));
  cost.waves = cost.tiles / workers;
  cost.busy = {{"rows", copy_rows}, {"weights", bring_weights}, {"store", store}, {"multiply", multiply}};
  addInTurn(cost, std::ceil(tasks / workers) * workers / tasks);
  return cost;
}

CpuSchedule chooseCpuSchedule(const algebras::Layer &layer, const CpuLevel &level, WeightAccess access,
                              int64_t m) {
  const auto considered = considerCpu(layer, level, access);
  const CpuSchedule *best =
      cheapest(considered, [&](const CpuSchedule &schedule) { return cpuCost(layer, schedule, m); });
  assert(best && "one type with a single block of rows is always a candidate");
  return *best;
}

} // namespace compiler
