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

using namespace mlir;

namespace compiler {

static algebras::InputError impossible(const std::string &schedule, const std::string &reason) {
  return algebras::InputError("the schedule " + schedule + " is impossible: " + reason);
}

/// Threads copy; on `machine`.
static tile::StagedAttr threads(MLIRContext *context, const algebras::Layer &layer,
                                const StagedChoice &choice, const GpuMachine &machine) {
  AmpereSchedule schedule;
  if (choice.schedule.empty()) {
    const auto choose = choice.bank_gradient ? chooseAmpereBankGradient : chooseAmpereSchedule;
    schedule = choose(layer, choice.rows, choice.output, choice.vector, machine);
  } else {
    schedule = parseAmpereSchedule(choice.schedule);
    if (choice.vector)
      schedule.vector = choice.vector;
    const Coefficients coefficients = coefficientsOf(layer.lift);
    const auto refused = choice.bank_gradient ? bankGradientRefusal(layer, schedule, coefficients)
                                              : refusal(layer, schedule, coefficients);
    if (refused)
      throw impossible(toString(schedule), refused->reason);
    schedule = completed(layer, schedule);
  }
  return tile::StagedAttr::get(context, /*types=*/1, schedule.rows, schedule.columns, schedule.depth,
                               schedule.stages, schedule.warp_rows, schedule.warp_columns, schedule.vector,
                               /*cluster_rows=*/1, /*cluster_columns=*/1, /*held_groups=*/0,
                               tile::AxisKind::Types, tile::Side::M, /*turns=*/1, /*split=*/1,
                               schedule.long_groups);
}

/// The copy engine where it can, and where the schedule leaves it to it.
static tile::StagedAttr engine(MLIRContext *context, const TargetEntry &target, const algebras::Layer &layer,
                               const StagedChoice &given) {
  StagedChoice choice = given;
  // Of gradients of the bank it is for the cost to say who copies, where both can.
  if (choice.bank_gradient && choice.schedule.empty() && choice.vector == 0 && copyEngineTakes(layer))
    choice.schedule = rankBankGradient(layer, target.name, choice.rows, choice.output).legal.front().schedule;
  const bool threads_copy =
      choice.schedule.empty() ? choice.vector != 0 || !copyEngineTakes(layer) : isForThreads(choice.schedule);
  if (threads_copy)
    return threads(context, layer, choice, *target.machine);
  const HopperOutput output =
      choice.output == algebras::DataType::F32 ? HopperOutput::F32 : HopperOutput::BF16;
  requireHopperLayer(layer);
  HopperSchedule schedule;
  if (choice.schedule.empty()) {
    schedule = chooseHopperSchedule(layer, choice.rows, output, *target.machine);
  } else {
    schedule = parseHopperSchedule(choice.schedule);
    const auto refused =
        choice.bank_gradient ? bankGradientRefusal(layer, schedule) : refusal(layer, schedule, output);
    if (refused)
      throw impossible(toString(schedule), refused->reason);
    if (schedule.stages == 0)
      schedule.stages = choice.bank_gradient
                            ? bankGradientStagesThatFit(schedule)
                            : stagesThatFit(schedule, output, heldBytes(schedule, layer.in.width(0)));
  }
  return tile::StagedAttr::get(
      context, schedule.types, schedule.rows, schedule.columns, schedule.depth, schedule.stages,
      /*warp_rows=*/0, /*warp_columns=*/0, /*vector=*/0, schedule.cluster_rows, schedule.cluster_columns,
      schedule.held_groups,
      schedule.outer == OuterAxis::Groups ? tile::AxisKind::Groups : tile::AxisKind::Types,
      schedule.rows_on == RowSide::N ? tile::Side::N : tile::Side::M, schedule.turns, schedule.split,
      schedule.long_groups);
}

tile::StagedAttr stagedSchedule(MLIRContext *context, std::string_view target, const algebras::Layer &layer,
                                const StagedChoice &choice) {
  const TargetEntry &entry = entryOf(targetNamed(target));
  requireGpuLayer(layer, target);
  if (entry.kernels == Kernels::EngineCopies)
    return engine(context, entry, layer, choice);
  return threads(context, layer, choice, machineOf(target));
}

tile::ReducedAttr reducedSchedule(MLIRContext *context, std::string_view target, const algebras::Layer &layer,
                                  const StagedChoice &choice) {
  std::string text = choice.schedule;
  const bool by_cost = text.empty() && choice.forward && choice.vector == 0 &&
                       (choice.positions || choice.rows <= most_reduction_rows);
  if (by_cost) {
    const std::int64_t rows = std::min(choice.rows, most_reduction_rows);
    const Ranking ranking = rankSchedules(layer, target, rows, choice.output);
    const RankedSchedule *best = choice.positions ? bestReduction(ranking) : &ranking.legal.front();
    if (choice.positions && !best)
      throw algebras::InputError(
          "rows at positions of their own are for vector reductions, which need groups "
          "of one width and row types that follow from positions");
    text = best->schedule;
  }
  if (!isReduction(text))
    return {};
  requireGpuLayer(layer, target);
  if (!choice.forward)
    throw impossible(choice.schedule, "vector reductions are for products; a gradient's schedule has no "
                                      "reduce=");
  ReductionSchedule schedule = parseReductionSchedule(text);
  if (const std::string reason = whyIllegal(layer, schedule); !reason.empty())
    throw impossible(text, reason);
  schedule = completed(layer, schedule);
  return tile::ReducedAttr::get(context, schedule.rows, schedule.columns, schedule.slices, schedule.vector);
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
