#include "compiler/schedule/coefficients.h"
#include "compiler/schedule/cpu_schedule.h"

#include <algorithm>

namespace compiler {

bool usesPairs(const algebras::Layer &layer, const CpuLevel &level) {
  return layer.dtype == algebras::DataType::BF16 && level.bf16_dot &&
         coefficientsOf(layer.lift) != Coefficients::General;
}

std::vector<CpuSchedule> cpuCandidates(const algebras::Layer &layer, const CpuLevel &level, BankAccess bank) {
  // Rows and vectors of the register tile. Accumulators, the vectors of the bank and one broadcast must fit
  // the registers; fewer than eight accumulators cannot hide the latency of a multiplication (4 cycles, 2 a
  // cycle).
  struct RegisterTile {
    std::int64_t rows, vectors;
  };
  std::vector<RegisterTile> tiles;
  for (std::int64_t vectors = 1; vectors <= 4; ++vectors)
    for (std::int64_t rows = 2; rows <= 28; ++rows) {
      const std::int64_t accumulators = rows * vectors;
      if (accumulators >= 8 && accumulators + vectors + 1 <= level.registers)
        tiles.push_back({rows, vectors});
    }

  const bool pairs = bank != BankAccess::Direct && usesPairs(layer, level);
  const std::int64_t element = pairs ? 2 : 4;
  std::vector<CpuSchedule> candidates;
  for (std::int64_t types : {1, 2, 4})
    for (const RegisterTile &tile : tiles)
      for (std::int64_t blocks : {1, 2, 4, 8, 16, 32}) {
        if (types > layer.lift.types())
          continue;
        CpuSchedule schedule;
        schedule.types = types;
        schedule.rows = blocks * tile.rows;
        schedule.register_rows = tile.rows;
        schedule.register_columns = tile.vectors * level.lanes;
        schedule.lanes = level.lanes;
        schedule.bank = bank;
        schedule.pairs = pairs;
        // A bank read in place is read with its own row stride, which the caches bear once, not many times.
        if (bank == BankAccess::Direct && blocks > 1)
          continue;
        // Held rows beyond the cache come back from further away for every panel; the other half of it is for
        // the bank. One register tile is always allowed.
        if ((blocks > 1 || types > 1) && types * schedule.rows * layer.in.total() > level.l2 / 2 / element)
          continue;
        candidates.push_back(schedule);
      }
  return candidates;
}

} // namespace compiler
