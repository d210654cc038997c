// Kernels of vector reductions, on any GPU: what can be, what is worth a look, and what it would cost.
#pragma once

#include "algebras/layer.h"
#include "compiler/schedule/candidates.h"
#include "compiler/schedule/cost.h"
#include "compiler/schedule/gpu_machine.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/work.h"
#include "runtime/gpu_kernel_abi.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace compiler {

/// Rows of the weight matrix that a thread has in flight at a time.
inline constexpr int64_t reduction_depth = algrt_reduction_depth;
/// Up to so many rows of a batch these kernels are looked at.
inline constexpr int64_t most_reduction_rows = 256;

/// Of a block, for the sums that its warps have of so many products.
int64_t reductionSharedBytes(const ReductionSchedule &schedule, int64_t products);

/// Why a schedule cannot be; nothing for a legal one. `schedule.vector` may be 0.
MaybeRefusal refusal(const algebras::Layer &layer, const ReductionSchedule &schedule);
/// The reason of the refusal; empty for a legal schedule.
std::string whyIllegal(const algebras::Layer &layer, const ReductionSchedule &schedule);
/// The schedule with its vector filled in.
ReductionSchedule completed(const algebras::Layer &layer, ReductionSchedule schedule);

/// Terms of a group, on average, that so many consecutive rows all have.
double commonTerms(const algebras::Layer &layer, int64_t rows);
/// Where the time of one product would go, in microseconds. What keeps the machine busy: "memory", X, the
/// weight matrix and Y once each at the rate of a copy; "loads" from the second-level cache, in sectors of 32
/// bytes; "issue" of instructions; and "latency", blocks of the weight matrix that a part of the result reads
/// one after the other. `schedule` is legal, and complete; `common` is commonTerms of its rows. `work` is
/// that of each of so many networks that a launch computes.
Cost reductionCost(const ProjectionWork &work, const ReductionSchedule &schedule, double common,
                   const GpuMachine &machine, int64_t networks = 1);

/// The costs of several schedules for `m` rows of a layer: commonTerms is counted once for each number of
/// rows. `work` is of these rows; each of so many networks has as many.
class ReductionCosts {
public:
  ReductionCosts(const algebras::Layer &layer, int64_t m, const ProjectionWork &work,
                 const GpuMachine &machine, int64_t networks = 1)
      : layer_(layer), m_(m), work_(work), machine_(machine), networks_(networks) {}
  Cost operator()(const ReductionSchedule &schedule);

private:
  const algebras::Layer &layer_;
  int64_t m_;
  const ProjectionWork &work_;
  const GpuMachine &machine_;
  int64_t networks_;
  std::map<int64_t, double> common_; ///< by rows of a part, of which there are no more than the batch has
};

/// Rows, columns and slices, with the vector; 0: the widest.
std::vector<Considered<ReductionSchedule>> considerReductions(const algebras::Layer &layer,
                                                              int64_t vector = 0);

/// The cheapest of these for `m` rows, of one network or divided among experts (work.h), and results of type
/// `output`, or nothing where all are illegal.
std::optional<ReductionSchedule> chooseReduction(const algebras::Layer &layer, int64_t m,
                                                 algebras::DataType output, int64_t vector,
                                                 const GpuMachine &machine, int64_t experts = 0);

} // namespace compiler
