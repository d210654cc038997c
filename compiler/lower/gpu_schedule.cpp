#include "compiler/lower/gpu_schedule.h"

#include "compiler/schedule/experts.h"
#include "compiler/schedule/gpu_layer.h"
#include "compiler/schedule/layers_choice.h"
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/staged.h"
#include "compiler/schedule/targets.h"

#include "algebras/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <variant>

using namespace mlir;

namespace compiler {

static algebras::InputError impossible(const std::string &schedule, const std::string &reason) {
  return algebras::InputError("the schedule " + schedule + " is impossible: " + reason);
}

static void requireLegal(const std::string &schedule, const MaybeRefusal &refused) {
  if (refused)
    throw impossible(schedule, refused->reason);
}

static tile::StagedAttr attribute(MLIRContext *context, const StagedSchedule &schedule) {
  return tile::StagedAttr::get(context, schedule.types, schedule.rows, schedule.columns, schedule.depth,
                               schedule.stages, schedule.warp_rows, schedule.warp_columns, schedule.vector,
                               schedule.cluster_rows, schedule.cluster_columns, schedule.stationary_groups,
                               schedule.outer == OuterAxis::Groups ? tile::AxisKind::Groups
                                                                   : tile::AxisKind::Types,
                               schedule.rows_on == RowSide::N ? tile::Side::N : tile::Side::M,
                               schedule.ping_pong, schedule.split_k, schedule.longest_first);
}

static tile::ReducedAttr reducedAttribute(MLIRContext *context, const ReductionSchedule &schedule,
                                          int64_t cluster = 1) {
  return tile::ReducedAttr::get(context, schedule.rows, schedule.columns, schedule.slices, schedule.vector,
                                cluster);
}

/// The schedule that the choice names, legal and filled in.
static StagedSchedule filledIn(const StagedProblem &problem, const GpuChoice &choice,
                               StagedSchedule schedule) {
  if (!schedule.isForThreads())
    requireHopperLayer(problem.layer);
  else if (choice.vector)
    schedule.vector = choice.vector;
  requireLegal(toString(schedule), refusal(problem, schedule));
  return completed(problem, schedule);
}

/// Chosen by cost: the copy engine where it can, threads elsewhere and where the choice says what they copy
/// at a time.
static Schedule cheapestFor(const StagedProblem &problem, const TargetEntry &target,
                            const GpuChoice &choice) {
  const bool engine =
      target.kernels == Kernels::EngineCopies && choice.vector == 0 && copyEngineTakes(problem.layer);
  // Of gradients of the weight matrix it is for the cost to say who copies, where both can.
  if (choice.weight_gradient && engine)
    return bestOf(rankWeightGradient(problem.layer, target.name, choice.rows, choice.output), problem.layer)
        .schedule;
  return chooseStaged(problem, engine ? Copies::Engine : Copies::Threads, choice.rows, *target.machine,
                      choice.vector);
}

static tile::StagedAttr stagedSchedule(MLIRContext *context, std::string_view target,
                                       const algebras::Layer &layer, const GpuChoice &choice) {
  const TargetEntry &entry = entryOf(targetNamed(target));
  requireGpuLayer(layer, target);
  const StagedProblem problem(layer, choice.output, choice.weight_gradient, choice.experts);
  const Schedule schedule = choice.schedule.empty() ? cheapestFor(problem, entry, choice)
                                                    : parseSchedule(choice.schedule, entry.kernels);
  if (const auto *staged = std::get_if<StagedSchedule>(&schedule))
    return attribute(context, filledIn(problem, choice, *staged));
  throw impossible(choice.schedule, "it is for no kernel whose operands come in stages");
}

/// Of rows that are divided among experts, and that no list finds.
static ReductionSchedule reductionForExperts(const algebras::Layer &layer, std::string_view target,
                                             const GpuChoice &choice) {
  if (!choice.schedule.empty())
    throw impossible(choice.schedule,
                     "a kernel of one layer whose rows are divided among experts is one of "
                     "vector reductions, as reduce=16,rows=4,columns=64, or finds them in a list, which "
                     "is for explicit row types");
  if (const std::string why = whyNoExperts(layer, target); !why.empty())
    throw algebras::InputError(why);
  const auto best = chooseReduction(layer, choice.rows, choice.output, choice.vector,
                                    *entryOf(targetNamed(target)).machine, choice.experts);
  if (!best)
    throw algebras::InputError(fmt::format("no schedule of vector reductions is legal on {}", target));
  return *best;
}

/// The cheapest schedule of few rows, where that is one of vector reductions.
static std::optional<ReductionSchedule>
reductionForFewRows(const algebras::Layer &layer, std::string_view target, const GpuChoice &choice) {
  const int64_t rows = std::min(choice.rows, most_reduction_rows);
  const Ranking ranking = rankSchedules(layer, target, rows, choice.output);
  const RankedSchedule *best = bestReduction(ranking);
  if (choice.positions && !best)
    throw algebras::InputError("rows at positions of their own are for vector reductions, which need groups "
                               "of one width and row types that follow from positions");
  if (!best || (!choice.positions && best != &ranking.legal.front()))
    return std::nullopt;
  return std::get<ReductionSchedule>(best->schedule);
}

/// Nothing where the operands come in stages.
static std::optional<ReductionSchedule> reductionFor(const algebras::Layer &layer, std::string_view target,
                                                     const GpuChoice &choice) {
  if (choice.experts > 0 && !choice.forward)
    throw algebras::InputError("kernels whose rows are divided among experts compute no gradients");
  if (isReduction(choice.schedule)) {
    requireGpuLayer(layer, target);
    if (!choice.forward)
      throw impossible(choice.schedule,
                       "vector reductions are for products; a gradient's schedule has no reduce=");
    return parseReduction(choice.schedule);
  }
  const bool listed = layer.row_types.kind() == algebras::RowTypes::Kind::Explicit;
  if (choice.experts > 0)
    return listed ? std::nullopt : std::optional(reductionForExperts(layer, target, choice));
  const bool few = choice.positions || choice.rows <= most_reduction_rows;
  if (choice.schedule.empty() && choice.forward && choice.vector == 0 && few)
    return reductionForFewRows(layer, target, choice);
  return std::nullopt;
}

std::variant<tile::StagedAttr, tile::ReducedAttr> gpuSchedule(MLIRContext *context, std::string_view target,
                                                              const algebras::Layer &layer,
                                                              const GpuChoice &choice) {
  const std::optional<ReductionSchedule> reduction = reductionFor(layer, target, choice);
  if (!reduction)
    return stagedSchedule(context, target, layer, choice);
  requireLegal(choice.schedule, refusal(layer, *reduction));
  return reducedAttribute(context, completed(layer, *reduction));
}

static ReducedChainedSchedules attributes(MLIRContext *context, const StagedChainedProblem &,
                                          const ChainedReductionSchedule &schedule) {
  return {reducedAttribute(context, schedule.first(), schedule.cluster),
          reducedAttribute(context, schedule.last(), schedule.cluster)};
}

static ChainedSchedules attributes(MLIRContext *context, const StagedChainedProblem &problem,
                                   const StagedChainedSchedule &schedule) {
  auto attribute = [&](int64_t columns, int64_t depth, int64_t stages, int64_t stationary_groups) {
    return tile::StagedAttr::get(context, schedule.types, schedule.rows, columns, depth, stages, 0, 0, 0, 1,
                                 1, stationary_groups, tile::AxisKind::Types, tile::Side::M,
                                 schedule.ping_pong, 1, 0, schedule.cluster_types, schedule.evict_first,
                                 schedule.overlap);
  };
  return {attribute(schedule.hidden, schedule.depth, schedule.stages, schedule.row_stages),
          attribute(tileColumns(problem.last), schedule.hidden, schedule.next_stages,
                    schedule.stationary_groups)};
}

/// The schedule that the choice names, legal and filled in.
static LayersSchedule givenForLayers(const StagedChainedProblem &problem, std::string_view target,
                                     const GpuChoice &choice) {
  auto require_kernel = [](const std::string &why) {
    if (!why.empty())
      throw algebras::InputError("two layers have no kernel together: " + why);
  };
  if (isChainedReduction(choice.schedule)) {
    require_kernel(whyNoChainedReduction(problem, target));
    const ChainedReductionSchedule asked = parseChainedReduction(choice.schedule);
    requireLegal(choice.schedule, refusal(problem, asked, target));
    return completed(problem, asked);
  }
  if (choice.experts > 0)
    throw impossible(choice.schedule, "a kernel of two layers whose rows are divided among experts is one of "
                                      "vector reductions, as reduce=16,rows=4,hidden=64,columns=64");
  require_kernel(whyNotChained(problem, target));
  const StagedChainedSchedule asked = parseStagedChained(choice.schedule);
  requireLegal(toString(asked), refusal(problem, asked));
  return completed(problem, asked);
}

static LayersSchedule cheapestForLayers(const StagedChainedProblem &problem, std::string_view target,
                                        const GpuChoice &choice) {
  const RowsOfCall rows{choice.rows, choice.positions, choice.experts};
  if (const std::string why = whyNoKernelOfLayers(problem, target, rows); !why.empty())
    throw algebras::InputError("two layers have no kernel together: " + why);
  return cheapestOfLayers(problem, target, rows)->schedule;
}

std::variant<ChainedSchedules, ReducedChainedSchedules>
gpuSchedulesOfLayers(MLIRContext *context, std::string_view target, const algebras::Layer &first,
                     const algebras::Layer &last, const GpuChoice &choice) {
  const StagedChainedProblem problem{first, last, choice.output};
  const LayersSchedule schedule = choice.schedule.empty() ? cheapestForLayers(problem, target, choice)
                                                          : givenForLayers(problem, target, choice);
  return std::visit(
      [&](const auto &kind) -> std::variant<ChainedSchedules, ReducedChainedSchedules> {
        return attributes(context, problem, kind);
      },
      schedule);
}

std::string scheduleText(const ChainedSchedules &schedules, int64_t stages, int64_t next_stages) {
  return toString(StagedChainedSchedule{.rows = schedules.own.getRows(),
                                        .hidden = schedules.hidden.getColumns(),
                                        .depth = schedules.hidden.getDepth(),
                                        .stages = stages,
                                        .next_stages = next_stages,
                                        .stationary_groups = schedules.own.getStationaryGroups(),
                                        .types = schedules.own.getTypes(),
                                        .row_stages = schedules.hidden.getStationaryGroups(),
                                        .cluster_types = schedules.own.getClusterTypes(),
                                        .evict_first = schedules.own.getEvictFirst(),
                                        .overlap = schedules.own.getOverlap(),
                                        .ping_pong = schedules.own.getPingPong()});
}

std::string scheduleText(const ReducedChainedSchedules &schedules) {
  return toString(ChainedReductionSchedule{.slices = schedules.hidden.getSlices(),
                                           .rows = schedules.own.getRows(),
                                           .hidden = schedules.hidden.getColumns(),
                                           .columns = schedules.own.getColumns(),
                                           .vector = schedules.own.getVector(),
                                           .cluster = schedules.own.getCluster()});
}

std::string scheduleText(tile::ReducedAttr schedule) {
  return toString(ReductionSchedule{.slices = schedule.getSlices(),
                                    .rows = schedule.getRows(),
                                    .columns = schedule.getColumns(),
                                    .vector = schedule.getVector()});
}

std::string scheduleText(tile::StagedAttr schedule, int64_t stages) {
  StagedSchedule staged{schedule.getRows(), schedule.getColumns(), schedule.getDepth(), stages,
                        schedule.hasWarps() ? Copies::Threads : Copies::Engine};
  staged.warp_rows = schedule.getWarpRows();
  staged.warp_columns = schedule.getWarpColumns();
  staged.vector = schedule.getVector();
  staged.types = schedule.getTypes();
  staged.cluster_rows = schedule.getClusterRows();
  staged.cluster_columns = schedule.getClusterColumns();
  staged.stationary_groups = schedule.getStationaryGroups();
  staged.outer = schedule.getOuter() == tile::AxisKind::Groups ? OuterAxis::Groups : OuterAxis::Types;
  staged.rows_on = schedule.getRowsOn() == tile::Side::N ? RowSide::N : RowSide::M;
  staged.ping_pong = schedule.getPingPong();
  staged.split_k = schedule.getSplitK();
  staged.longest_first = schedule.getLongestFirst();
  return toString(staged);
}

} // namespace compiler
