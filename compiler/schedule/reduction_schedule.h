// Schedules of kernels of vector reductions: products of few rows, each perhaps of a type of its own, on any
// GPU.
#ifndef ALGCTL_COMPILER_SCHEDULE_REDUCTION_SCHEDULE_H
#define ALGCTL_COMPILER_SCHEDULE_REDUCTION_SCHEDULE_H

#include "algebras/layer.h"
#include "compiler/schedule/gpu_machine.h"
#include "compiler/schedule/projection_work.h"
#include "runtime/gpu_kernel_abi.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace compiler {

/// A block of threads owns `rows` consecutive rows of the batch and `columns` columns of an output group.
/// `lanes` of its threads stand side by side along the columns, in `slices` that divide the depth of every
/// term.
struct ReductionSchedule {
  std::int64_t slices = 32;
  std::int64_t rows = 1;
  std::int64_t columns = 64;
  std::int64_t vector = 0; ///< elements that a thread reads at a time: 1, 2, 4 or 8; 0: the widest

  std::int64_t lanes() const { return columns / vector; }
  std::int64_t threads() const { return lanes() * slices; }
  std::int64_t warps() const { return threads() / 32; }
  bool operator==(const ReductionSchedule &) const = default;
};

/// Rows of the bank that a thread has in flight at a time.
inline constexpr std::int64_t reduction_depth = algrt_reduction_depth;
/// Up to so many rows of a batch these kernels are looked at.
inline constexpr std::int64_t most_reduction_rows = 256;

/// "reduce=32,rows=4,columns=64,vector=8"; what is not named keeps its default. algebras::InputError says
/// what is wrong with a text; whether the numbers go together is for whyIllegal.
ReductionSchedule parseReductionSchedule(std::string_view text);
/// Whether a schedule says how many slices reduce, so that it is one of these.
bool isReduction(std::string_view schedule);
std::string toString(const ReductionSchedule &schedule);

/// Of a block, for the sums of its warps.
std::int64_t reductionSharedBytes(const ReductionSchedule &schedule);

struct ReductionRefusal {
  std::string kind;   ///< "registers", "threads", ...
  std::string reason; ///< a sentence that names what exceeds what
};
/// Why a schedule cannot be; nothing for a legal one. `schedule.vector` may be 0.
std::optional<ReductionRefusal> refusal(const algebras::Layer &layer, const ReductionSchedule &schedule);
/// The reason of the refusal; empty for a legal schedule.
std::string whyIllegal(const algebras::Layer &layer, const ReductionSchedule &schedule);
/// The schedule with its vector filled in.
ReductionSchedule completed(const algebras::Layer &layer, ReductionSchedule schedule);

/// Where the time of one product would go, in microseconds.
struct ReductionCost {
  // How long each part of the machine would be busy on its own.
  double memory = 0;  ///< X, the bank and Y once each at the rate of a copy
  double loads = 0;   ///< from the second-level cache, in sectors of 32 bytes
  double issue = 0;   ///< instructions
  double latency = 0; ///< blocks of the bank that a part reads one after the other

  double launch = 0;   ///< once
  double tail = 0;     ///< multiprocessors without a part in the last wave
  double unhidden = 0; ///< what the second longest does not hide
  double parts = 0;    ///< of the result

  enum class Part { Memory, Loads, Issue, Latency };
  Part boundBy() const;
  double bound() const;
  double total() const;
};
/// Terms of a group, on average, that so many consecutive rows all have.
double commonTerms(const algebras::Layer &layer, std::int64_t rows);
/// `schedule` is legal, and complete; `common` is commonTerms of its rows.
ReductionCost reductionCost(const ProjectionWork &work, const ReductionSchedule &schedule, double common,
                            const GpuMachine &machine);

/// A schedule that was looked at.
struct ReductionConsidered {
  ReductionSchedule schedule;
  std::optional<ReductionRefusal> refusal; ///< what is illegal, or not worth a look
};
/// Rows, columns and slices, with the vector; 0: the widest.
std::vector<ReductionConsidered> considerReductions(const algebras::Layer &layer, std::int64_t vector = 0);

/// The cheapest of these for `m` rows and results of type `output`, or nothing where all are illegal.
std::optional<ReductionSchedule> chooseReduction(const algebras::Layer &layer, std::int64_t m,
                                                 algebras::DataType output, std::int64_t vector,
                                                 const GpuMachine &machine);

} // namespace compiler

#endif
