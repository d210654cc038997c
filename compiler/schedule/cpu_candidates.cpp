#include "compiler/schedule/coefficients.h"
#include "compiler/schedule/cpu_schedule.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {

bool usesPairs(const algebras::Layer &layer, const CpuLevel &level) {
  return layer.dtype == algebras::DataType::BF16 && level.bf16_dot &&
         coefficientsOf(layer.lift) != Coefficients::General;
}

bool usesAmx(const algebras::Layer &layer, const CpuLevel &level) {
  return level.amx && usesPairs(layer, level) && coefficientsOf(layer.lift) == Coefficients::One;
}

/// Squares of sums in a register tile of AMX.
static int64_t amxSums(const CpuSchedule &schedule) {
  return schedule.register_rows / CpuSchedule::amx_rows *
         (schedule.register_columns / CpuSchedule::amx_columns);
}

int64_t productsTogether(const CpuSchedule &schedule, int64_t weights) {
  if (schedule.unit == MultiplyUnit::Amx)
    return std::clamp<int64_t>(CpuSchedule::amx_sums / amxSums(schedule), 1, weights);
  // AVX-512 has twice as many registers as AVX2, twice as wide. For each weight matrix there are sums and a
  // vector for each of its columns; one register is for what is broadcast.
  const int64_t registers = 2 * schedule.lanes;
  const int64_t of_each = (schedule.register_rows + 1) * (schedule.register_columns / schedule.lanes);
  return std::clamp<int64_t>((registers - 1) / of_each, 1, weights);
}

MaybeRefusal refuseRegisterTile(const algebras::Layer &layer, const CpuLevel &level,
                                const CpuSchedule &schedule) {
  if (schedule.unit == MultiplyUnit::Amx) {
    if (amxSums(schedule) > CpuSchedule::amx_sums)
      return refuse("registers", fmt::format("{} squares of sums need as many registers of AMX, of {}",
                                             amxSums(schedule), CpuSchedule::amx_sums));
    return std::nullopt;
  }
  const int64_t together = productsTogether(schedule, layer.fused.weights);
  const int64_t vectors = schedule.register_columns / schedule.lanes * together;
  const int64_t sums = schedule.register_rows * vectors;
  // Sums, the vectors of the weight matrix and one broadcast must fit the registers; fewer than eight sums
  // cannot hide the latency of a multiplication (4 cycles, 2 a cycle).
  if (sums < 8)
    return refuse("few sums", fmt::format("{} sums do not hide the latency of a multiplication, 8 do", sums));
  // Of several weight matrices, which are multiplied for longer at a stretch, eight were measured to leave a
  // tenth of the time on AVX2, and so did pieces of the result of less than half a cache line.
  const bool several = layer.fused.weights > 1 && schedule.weights != WeightAccess::Direct;
  if (several && sums < 10)
    return refuse("few sums",
                  fmt::format("{} sums for several weight matrices: 10 hide the latency better", sums));
  if (several && schedule.register_columns * byteWidth(layer.dtype) < 32)
    return refuse("narrow pieces",
                  fmt::format("pieces of {} columns for several weight matrices are less than half a line",
                              schedule.register_columns));
  if (sums + vectors + 1 > level.registers)
    return refuse(
        "registers",
        fmt::format("{} sums, {} vectors of the weight matrix and a broadcast need {} registers, of {}", sums,
                    vectors, sums + vectors + 1, level.registers));
  // The sums of other weight matrices wait in memory meanwhile. Without a register for what their loops need
  // besides, LLVM keeps one of the sums in memory, too, and each step waits for what it has just stored.
  if (together < layer.fused.weights && sums + vectors + 1 == level.registers)
    return refuse("registers",
                  fmt::format("{} sums, {} vectors of the weight matrix and a broadcast leave several weight "
                              "matrices no register",
                              sums, vectors));
  return std::nullopt;
}

/// Why a schedule of so many blocks of rows is none to consider.
static MaybeRefusal refusal(const algebras::Layer &layer, const CpuLevel &level,
                            const CpuSchedule &schedule) {
  if (MaybeRefusal registers = refuseRegisterTile(layer, level, schedule))
    return registers;
  const int64_t blocks = schedule.rows / schedule.register_rows;
  if (schedule.types > layer.lift.types())
    return refuse("types",
                  fmt::format("{} types in a task, the layer has {}", schedule.types, layer.lift.types()));
  // A weight matrix read in place is read with its own row stride, which the caches bear once, not many
  // times.
  if (schedule.weights == WeightAccess::Direct && blocks > 1)
    return refuse(
        "rows of a weight matrix in place",
        fmt::format("{} blocks of rows would read the weight matrix in place as many times", blocks));
  // Stationary rows beyond the cache come back from further away for every panel; the other half of it is for
  // the weight matrix. One register tile is always allowed.
  const int64_t room = level.l2 / 2 / (schedule.pairs ? 2 : 4);
  // Several weight matrices pass once more for rows that are left over: rather the last register tile is in
  // excess.
  const int64_t counted =
      layer.fused.weights > 1 && blocks > 1 ? schedule.rows - schedule.register_rows + 1 : schedule.rows;
  if ((blocks > 1 || schedule.types > 1) && schedule.types * counted * layer.in.total() > room)
    return refuse("cache",
                  fmt::format("{} rows of {} types hold {} elements, half of the cache has room for {}",
                              schedule.rows, schedule.types,
                              schedule.types * schedule.rows * layer.in.total(), room));
  return std::nullopt;
}

std::vector<CpuSchedule> registerTiles(const algebras::Layer &layer, const CpuLevel &level,
                                       WeightAccess access) {
  CpuSchedule tile;
  tile.lanes = level.lanes;
  tile.weights = access;
  tile.pairs = access != WeightAccess::Direct && usesPairs(layer, level);
  std::vector<CpuSchedule> tiles;
  for (int64_t vectors = 1; vectors <= 4; ++vectors)
    for (int64_t rows = 2; rows <= 28; ++rows) {
      tile.rows = tile.register_rows = rows;
      tile.register_columns = vectors * level.lanes;
      tiles.push_back(tile);
    }
  if (access == WeightAccess::Direct || !usesAmx(layer, level))
    return tiles;
  tile.unit = MultiplyUnit::Amx;
  for (int64_t rows = 1; rows <= CpuSchedule::amx_sums; rows *= 2)
    for (int64_t columns = 1; columns <= CpuSchedule::amx_sums; columns *= 2) {
      tile.rows = tile.register_rows = rows * CpuSchedule::amx_rows;
      tile.register_columns = columns * CpuSchedule::amx_columns;
      tiles.push_back(tile);
    }
  return tiles;
}

std::vector<Considered<CpuSchedule>> considerCpu(const algebras::Layer &layer, const CpuLevel &level,
                                                 WeightAccess access) {
  std::vector<int64_t> all_blocks = {1, 2, 4, 8, 16, 32};
  if (layer.fused.weights > 1)
    all_blocks = {1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 16, 20, 22, 24, 28, 32};
  std::vector<Considered<CpuSchedule>> considered;
  const std::vector<CpuSchedule> tiles = registerTiles(layer, level, access);
  for (int64_t types : {1, 2, 4})
    for (CpuSchedule schedule : tiles)
      for (const int64_t blocks : all_blocks) {
        schedule.types = types;
        schedule.rows = blocks * schedule.register_rows;
        considered.push_back({schedule, refusal(layer, level, schedule)});
      }
  return considered;
}

} // namespace compiler
