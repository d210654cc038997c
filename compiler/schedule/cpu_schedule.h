// Schedules of the CPU kernels: what one task owns, the register tile, and what that would cost.
#ifndef ALGCTL_COMPILER_SCHEDULE_CPU_SCHEDULE_H
#define ALGCTL_COMPILER_SCHEDULE_CPU_SCHEDULE_H

#include "algebras/layer.h"
#include "compiler/schedule/host_level.h"
#include "compiler/targets/cpu/level.h"

#include <cstdint>
#include <string>
#include <vector>

namespace compiler {

/// How a kernel reads the bank; see `#tile.schedule` in the tile dialect.
enum class BankAccess { Packed, Copied, Direct };

struct CpuSchedule {
  std::int64_t types = 1;             ///< row types that one task owns
  std::int64_t rows = 64;             ///< rows of each of them, a multiple of register_rows
  std::int64_t register_rows = 8;     ///< rows of the register tile
  std::int64_t register_columns = 48; ///< columns of the register tile, a multiple of lanes
  std::int64_t lanes = 16;            ///< f32 in one vector
  BankAccess bank = BankAccess::Packed;
  bool pairs = false; ///< bf16 in pairs through the machine's dot product
};

/// "bank=packed,types=1,rows=64,register_rows=8,register_columns=48".
std::string toString(const CpuSchedule &schedule);

/// Where the time of one forward product would go, in cycles of one core.
struct CpuCost {
  double multiply = 0; ///< vector multiplications, with the padding of tiles that are not full
  double hold = 0;     ///< copying the activations
  double bank = 0;     ///< bringing the bank, beyond what hides behind the multiplications
  double store = 0;    ///< writing the result
  double idle = 0;     ///< workers that wait for the last tasks
  double total() const { return multiply + hold + bank + store + idle; }
};

/// Whether the layer's products can use the machine's bf16 dot product: bf16 data, and coefficients +1 and -1
/// only.
bool usesPairs(const algebras::Layer &layer, const CpuLevel &level);

/// A schedule that was looked at, and why it was left out: empty for a candidate.
struct CpuConsidered {
  CpuSchedule schedule;
  std::string kind;   ///< "registers", "cache", ...
  std::string reason; ///< a sentence with its numbers
};
/// Every combination of types, register tile and blocks of rows that is looked at.
std::vector<CpuConsidered> considerCpu(const algebras::Layer &layer, const CpuLevel &level, BankAccess bank);

/// Every schedule worth considering for a layer on a machine.
std::vector<CpuSchedule> cpuCandidates(const algebras::Layer &layer, const CpuLevel &level, BankAccess bank);

/// What a schedule would cost for `m` rows on so many cores.
CpuCost cpuCost(const algebras::Layer &layer, const CpuSchedule &schedule, std::int64_t m,
                std::int64_t cores = compiled_for_cores);

/// The cheapest candidate for `m` rows on compiled_for_cores; the first one listed among equals.
CpuSchedule chooseCpuSchedule(const algebras::Layer &layer, const CpuLevel &level, BankAccess bank,
                              std::int64_t m);

} // namespace compiler

#endif
