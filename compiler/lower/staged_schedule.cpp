#include "compiler/lower/staged_schedule.h"

#include "compiler/schedule/ampere_schedule.h"
#include "compiler/schedule/gpu_layer.h"
#include "compiler/schedule/hopper_bank_gradient.h"
#include "compiler/schedule/hopper_schedule.h"
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/targets.h"

#include "algebras/error.h"

#include <algorithm>
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

/// Threads copy.
static tile::StagedAttr attribute(MLIRContext *context, const AmpereSchedule &schedule) {
  return tile::StagedAttr::get(context, /*types=*/1, schedule.rows, schedule.columns, schedule.depth,
                               schedule.stages, schedule.warp_rows, schedule.warp_columns, schedule.vector,
                               /*cluster_rows=*/1, /*cluster_columns=*/1, /*held_groups=*/0,
                               tile::AxisKind::Types, tile::Side::M, /*turns=*/1, /*split=*/1,
                               schedule.long_groups);
}

/// The copy engine moves blocks.
static tile::StagedAttr attribute(MLIRContext *context, const HopperSchedule &schedule) {
  return tile::StagedAttr::get(
      context, schedule.types, schedule.rows, schedule.columns, schedule.depth, schedule.stages,
      /*warp_rows=*/0, /*warp_columns=*/0, /*vector=*/0, schedule.cluster_rows, schedule.cluster_columns,
      schedule.held_groups,
      schedule.outer == OuterAxis::Groups ? tile::AxisKind::Groups : tile::AxisKind::Types,
      schedule.rows_on == RowSide::N ? tile::Side::N : tile::Side::M, schedule.turns, schedule.split,
      schedule.long_groups);
}

/// The schedule that the choice names, legal and filled in.
static AmpereSchedule filledIn(const algebras::Layer &layer, const StagedChoice &choice,
                               AmpereSchedule schedule) {
  if (choice.vector)
    schedule.vector = choice.vector;
  const Coefficients coefficients = coefficientsOf(layer.lift);
  requireLegal(toString(schedule), choice.bank_gradient ? bankGradientRefusal(layer, schedule, coefficients)
                                                        : refusal(layer, schedule, coefficients));
  return completed(layer, schedule);
}

static HopperSchedule filledIn(const algebras::Layer &layer, const StagedChoice &choice,
                               HopperSchedule schedule) {
  requireHopperLayer(layer);
  requireLegal(toString(schedule), choice.bank_gradient ? bankGradientRefusal(layer, schedule)
                                                        : refusal(layer, schedule, choice.output));
  if (schedule.stages == 0)
    schedule.stages = choice.bank_gradient
                          ? bankGradientStagesThatFit(schedule)
                          : stagesThatFit(schedule, choice.output, heldBytes(schedule, layer.in.width(0)),
                                          layer.fused.weights);
  return schedule;
}

/// Chosen by cost: the copy engine where it can, threads elsewhere and where the choice says what they copy
/// at a time.
static Schedule cheapestFor(const algebras::Layer &layer, const TargetEntry &target,
                            const StagedChoice &choice) {
  const bool engine = target.kernels == Kernels::EngineCopies && choice.vector == 0 && copyEngineTakes(layer);
  // Of gradients of the bank it is for the cost to say who copies, where both can.
  if (choice.bank_gradient && engine)
    return rankBankGradient(layer, target.name, choice.rows, choice.output).legal.front().schedule;
  if (engine)
    return chooseHopperSchedule(layer, choice.rows, choice.output, *target.machine);
  const auto choose = choice.bank_gradient ? chooseAmpereBankGradient : chooseAmpereSchedule;
  return choose(layer, choice.rows, choice.output, choice.vector, *target.machine);
}

tile::StagedAttr stagedSchedule(MLIRContext *context, std::string_view target, const algebras::Layer &layer,
                                const StagedChoice &choice) {
  const TargetEntry &entry = entryOf(targetNamed(target));
  requireGpuLayer(layer, target);
  const Schedule schedule = choice.schedule.empty() ? cheapestFor(layer, entry, choice)
                                                    : parseSchedule(choice.schedule, entry.kernels);
  if (const auto *threads = std::get_if<AmpereSchedule>(&schedule))
    return attribute(context, filledIn(layer, choice, *threads));
  if (const auto *engine = std::get_if<HopperSchedule>(&schedule))
    return attribute(context, filledIn(layer, choice, *engine));
  throw impossible(choice.schedule, "it is for no kernel whose operands come in stages");
}

tile::ReducedAttr reducedSchedule(MLIRContext *context, std::string_view target, const algebras::Layer &layer,
                                  const StagedChoice &choice) {
  const bool by_cost = choice.schedule.empty() && choice.forward && choice.vector == 0 &&
                       (choice.positions || choice.rows <= most_reduction_rows);
  std::optional<Schedule> schedule;
  if (by_cost) {
    const std::int64_t rows = std::min(choice.rows, most_reduction_rows);
    const Ranking ranking = rankSchedules(layer, target, rows, choice.output);
    const RankedSchedule *best = choice.positions        ? bestReduction(ranking)
                                 : ranking.legal.empty() ? nullptr
                                                         : &ranking.legal.front();
    if (choice.positions && !best)
      throw algebras::InputError(
          "rows at positions of their own are for vector reductions, which need groups "
          "of one width and row types that follow from positions");
    if (best) // else those whose operands come in stages say why there is none
      schedule = best->schedule;
  } else if (isReduction(choice.schedule)) {
    requireGpuLayer(layer, target);
    schedule = parseScheduleOf<ReductionSchedule>(choice.schedule);
  }
  if (!schedule || !isReduction(*schedule))
    return {};
  if (!choice.forward)
    throw impossible(choice.schedule,
                     "vector reductions are for products; a gradient's schedule has no reduce=");
  const auto &asked = std::get<ReductionSchedule>(*schedule);
  requireLegal(choice.schedule, refusal(layer, asked));
  const ReductionSchedule whole = completed(layer, asked);
  return tile::ReducedAttr::get(context, whole.rows, whole.columns, whole.slices, whole.vector);
}

std::string scheduleText(tile::ReducedAttr schedule) {
  return toString(ReductionSchedule{.slices = schedule.getSlices(),
                                    .rows = schedule.getRows(),
                                    .columns = schedule.getColumns(),
                                    .vector = schedule.getVector()});
}

std::string scheduleText(tile::StagedAttr schedule, std::int64_t stages) {
  if (schedule.hasWarps())
    return toString(AmpereSchedule{schedule.getRows(), schedule.getColumns(), schedule.getDepth(), stages,
                                   schedule.getWarpRows(), schedule.getWarpColumns(), schedule.getVector(),
                                   schedule.getLongGroups()});
  return toString(HopperSchedule{.rows = schedule.getRows(),
                                 .columns = schedule.getColumns(),
                                 .depth = schedule.getDepth(),
                                 .stages = stages,
                                 .types = schedule.getTypes(),
                                 .cluster_rows = schedule.getClusterRows(),
                                 .cluster_columns = schedule.getClusterColumns(),
                                 .held_groups = schedule.getHeldGroups(),
                                 .outer = schedule.getOuter() == tile::AxisKind::Groups ? OuterAxis::Groups
                                                                                        : OuterAxis::Types,
                                 .rows_on = schedule.getRowsOn() == tile::Side::N ? RowSide::N : RowSide::M,
                                 .turns = schedule.getTurns(),
                                 .split = schedule.getSplit(),
                                 .long_groups = schedule.getLongGroups()});
}

} // namespace compiler
