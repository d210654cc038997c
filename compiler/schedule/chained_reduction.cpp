#include "compiler/schedule/chained_reduction.h"

#include "compiler/schedule/group_order.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/staged.h"
#include "compiler/schedule/targets.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {

static constexpr int64_t most_groups = int64_t{1} << 20, most_cluster = 8;

/// Whether both layers go through the same terms: a kernel has one table for both.
static bool haveSameTerms(const algebras::Lift &one, const algebras::Lift &other) {
  if (one.types() != other.types() || one.outputGroups() != other.outputGroups() ||
      one.completeGraph() != other.completeGraph())
    return false;
  if (one.completeGraph())
    return true;
  for (int64_t type = 0; type < one.types(); ++type)
    for (int64_t group = 0; group < one.outputGroups(); ++group)
      if (!std::ranges::equal(one.terms(type, group), other.terms(type, group)))
        return false;
  return true;
}

std::string whyNoChainedReduction(const StagedChainedProblem &problem, std::string_view target) {
  const algebras::Layer &first = problem.first, &last = problem.last;
  if (first.dtype != algebras::DataType::BF16)
    return fmt::format("the target {} computes on bf16, and they are f32", target);
  for (const algebras::Layer *layer : {&first, &last}) {
    if (layer->lift.kind() != algebras::Lift::Kind::Rows || layer->lift.isTransposed())
      return fmt::format("on {} kernels of both for few rows are of products in the lift by rows", target);
    if (!layer->in.isEqual() || !layer->out.isEqual())
      return fmt::format("on {} kernels of both for few rows read groups of one width", target);
    if (layer->row_types.kind() == algebras::RowTypes::Kind::Explicit)
      return fmt::format("on {} kernels of both for few rows compute row types from positions, and they are "
                         "explicit",
                         target);
    if (std::max({layer->in.count(), layer->out.count(), layer->lift.weightRows()}) >= most_groups)
      return fmt::format("on {} kernels of both for few rows count less than {} groups", target, most_groups);
  }
  if (first.fused.element_operands > 0)
    return fmt::format("on {} maps between the layers read no elements of another matrix", target);
  if (last.fused.weights != 1 || last.fused.results != 1)
    return fmt::format("on {} the second layer computes one product and writes one result", target);
  if (!haveSameTerms(first.lift, last.lift))
    return fmt::format("on {} both layers have the same terms in a kernel for few rows", target);
  if (considerChainedReductions(problem, target).empty())
    return fmt::format("on {} no schedule of both for few rows fits shared memory and registers", target);
  return "";
}

int64_t shareOfBlock(const algebras::Layer &first, const ChainedReductionSchedule &schedule) {
  const int64_t pieces = (first.out.width(0) + reduction_depth - 1) / reduction_depth;
  return (pieces + schedule.cluster - 1) / schedule.cluster * reduction_depth;
}

int64_t sharedBytes(const StagedChainedProblem &problem, const ChainedReductionSchedule &schedule) {
  const int64_t kept =
      roundUp(roundUp(shareOfBlock(problem.first, schedule), schedule.hidden), reduction_depth);
  return reductionSharedBytes(schedule.first(), problem.first.fused.weights) +
         reductionSharedBytes(schedule.last(), 1) + 2 * problem.most_terms * schedule.rows * kept;
}

ChainedReductionSchedule completed(const StagedChainedProblem &problem, ChainedReductionSchedule schedule) {
  if (schedule.vector == 0)
    schedule.vector = std::min(widestVector(problem.first), widestVector(problem.last));
  return schedule;
}

MaybeRefusal refusal(const StagedChainedProblem &problem, const ChainedReductionSchedule &given,
                     std::string_view target) {
  const ChainedReductionSchedule schedule = completed(problem, given);
  if (schedule.cluster < 1 || schedule.cluster > most_cluster)
    return Refusal{"cluster", fmt::format("a cluster of {} blocks: 1 to {} run together", schedule.cluster,
                                          most_cluster)};
  if (schedule.cluster > 1 && entryOf(targetNamed(target)).kernels != Kernels::EngineCopies)
    return Refusal{"cluster", fmt::format("a cluster of {} blocks, and devices of {} launch none",
                                          schedule.cluster, target)};
  if (MaybeRefusal refused = refusal(problem.first, schedule.first()))
    return Refusal{refused->kind, "of the first layer: " + refused->reason};
  // What is beyond a hidden group is zero as far as pieces of depth go.
  if (schedule.hidden % reduction_depth != 0)
    return Refusal{"hidden", fmt::format("{} hidden columns at a time: {} or several times as many",
                                         schedule.hidden, reduction_depth)};
  if (schedule.columns < 1 || schedule.threads() * schedule.vector % schedule.columns != 0)
    return Refusal{"columns", fmt::format("{} threads with vectors of {} do not stand side by side in slices "
                                          "of {} columns",
                                          schedule.threads(), schedule.vector, schedule.columns)};
  if (MaybeRefusal refused = refusal(problem.last, schedule.last()))
    return Refusal{refused->kind, "of the second layer: " + refused->reason};
  if (const int64_t bytes = sharedBytes(problem, schedule); bytes > ampere_shared_bytes)
    return Refusal{"shared memory",
                   fmt::format("sums and hidden groups take {} bytes of shared memory, a block has {}", bytes,
                               ampere_shared_bytes)};
  return std::nullopt;
}

/// Rows, columns of both layers, threads and clusters, but those of which half a block and more would have
/// nothing to do.
std::vector<ChainedReductionSchedule> considerChainedReductions(const StagedChainedProblem &problem,
                                                                std::string_view target, int64_t vector) {
  std::vector<ChainedReductionSchedule> candidates;
  for (const int64_t rows : {1, 2, 4, 8})
    for (const int64_t cluster : {1, 2, 3, 4, 6, 8})
      for (const int64_t lanes : {32, 16, 8, 4, 2, 1})
        for (const int64_t next_lanes : {32, 16, 8, 4, 2, 1})
          for (const int64_t threads : {64, 128, 256, 512}) {
            ChainedReductionSchedule schedule =
                completed(problem, {.rows = rows, .vector = vector, .cluster = cluster});
            schedule.slices = threads / lanes;
            schedule.hidden = lanes * schedule.vector;
            schedule.columns = next_lanes * schedule.vector;
            if ((lanes > 1 && schedule.hidden >= 2 * shareOfBlock(problem.first, schedule)) ||
                (next_lanes > 1 && schedule.columns >= 2 * problem.last.out.width(0)))
              continue;
            if (!refusal(problem, schedule, target))
              candidates.push_back(schedule);
          }
  return candidates;
}

} // namespace compiler
