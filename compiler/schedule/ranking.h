// Schedules side by side: what each would cost and where its time would go, and why others cannot be. One
// form for all targets.
#ifndef ALGCTL_COMPILER_SCHEDULE_RANKING_H
#define ALGCTL_COMPILER_SCHEDULE_RANKING_H

#include "algebras/layer.h"
#include "compiler/schedule/host_level.h"
#include "compiler/schedule/targets.h"
#include "runtime/bundle/map.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace compiler {

/// A part of the time, in microseconds, and what it is spent on.
struct CostPart {
  std::string name;
  double us;
};

/// The part of the result that one block of threads, or one task of a CPU, computes at a time.
struct TileShape {
  std::int64_t rows, columns, depth; ///< rows of one type
  std::int64_t types = 1;
  std::int64_t held_groups = 0; ///< for which rows of X stay
  bool operator==(const TileShape &) const = default;
};

struct RankedSchedule {
  std::string schedule; ///< as --schedule reads it
  TileShape tile;
  double predicted; ///< microseconds
  /// How long each part of the machine would be busy if nothing else held it up.
  std::vector<CostPart> busy;
  /// What adds up to `predicted`: the part of `busy` that bounds, by its name, and what comes on top.
  std::vector<CostPart> sum;
  std::string bound_by; ///< a name of `busy`
  /// What the arithmetic among `busy`, its last part, is made of. Where the copy engine copies, the parts add
  /// up; where threads do, all but the last run beside one another, and the longest counts.
  std::vector<CostPart> arithmetic;
  double tiles; ///< blocks of the result, one for each turn of a processor
  double waves; ///< the same for each processor: 1.5 takes as long as 2
};

/// One that was considered and left out.
struct RefusedSchedule {
  std::string schedule;
  std::string kind;   ///< what it fails by, the same words for all that fail by it
  std::string reason; ///< a sentence with its numbers
};

struct Ranking {
  std::string target;
  std::string machine;               ///< what the microseconds are of
  double floor_us;                   ///< least time that bytes and arithmetic allow there
  std::string floor_by;              ///< "memory" or "arithmetic"
  std::vector<RankedSchedule> legal; ///< cheapest first; among equals as they were listed
  std::vector<RefusedSchedule> refused;
};

/// Ranks the schedules of a target, one of targetNames(), for `m` rows and results of type `output`; those
/// of the CPU on the cores of `cpu`. Throws algebras::InputError for a layer that the target has no kernels
/// for.
Ranking rankSchedules(const algebras::Layer &layer, std::string_view target, std::int64_t m,
                      algebras::DataType output, const CpuMachine &cpu = compiledForMachine());

/// The same for the gradient of the layer's bank, with dW of type `output`, on the CPU of the layer's. On
/// sm_90a kernels whose threads copy are ranked beside those whose blocks the copy engine moves.
Ranking rankBankGradient(const algebras::Layer &layer, std::string_view target, std::int64_t m,
                         algebras::DataType output, const CpuMachine &cpu = compiledForMachine());

/// One of the three maps of a layer: its product, the gradient of X, which is the product of the transposed
/// layer, or that of the bank.
Ranking rankMap(const algebras::Layer &layer, algrt::Map map, std::string_view target, std::int64_t m,
                algebras::DataType output, const CpuMachine &cpu = compiledForMachine());

/// The best few of a ranking that differ: each next one is the cheapest whose tile has other rows or types
/// than those chosen before, or holds rows where those do not, or fewer or more columns by at least a
/// quarter, or another depth and other columns.
std::vector<RankedSchedule> bestDifferent(const Ranking &ranking, std::int64_t most);

/// The cheapest of the ranking that is one of vector reductions, or null.
const RankedSchedule *bestReduction(const Ranking &ranking);

/// From how many rows on batched kernels are ahead of vector reductions in the product of a layer on a GPU,
/// as predicted: 1 where they always are.
std::int64_t batchedFrom(const algebras::Layer &layer, std::string_view target, algebras::DataType output);

/// Sorts what an adapter has listed.
void sortByCost(Ranking &ranking);

// One adapter for each kind of kernels, in the file that its name says.
/// Kernels whose threads copy.
Ranking rankAmpere(const algebras::Layer &layer, const TargetEntry &target, std::int64_t m,
                   algebras::DataType output);
Ranking rankAmpereBankGradient(const algebras::Layer &layer, const TargetEntry &target, std::int64_t m,
                               algebras::DataType output);
/// Adds those of vector reductions, where the rows are few enough and the layer is a product's.
void addReductions(Ranking &ranking, const algebras::Layer &layer, std::int64_t m, algebras::DataType output);
/// Kernels whose blocks the copy engine moves.
Ranking rankHopper(const algebras::Layer &layer, const TargetEntry &target, std::int64_t m,
                   algebras::DataType output);
Ranking rankHopperBankGradient(const algebras::Layer &layer, const TargetEntry &target, std::int64_t m,
                               algebras::DataType output);
Ranking rankCpu(const algebras::Layer &layer, std::int64_t m, const CpuMachine &machine);
Ranking rankCpuBankGradient(const algebras::Layer &layer, std::int64_t m, const CpuMachine &machine);

} // namespace compiler

#endif
