// What the machine allows: which layers the Hopper kernels can take, and which schedules fit.
#include "compiler/schedule/coefficients.h"
#include "compiler/schedule/gpu_layer.h"
#include "compiler/schedule/group_order.h"
#include "compiler/schedule/hopper_limits.h"
#include "compiler/schedule/hopper_schedule.h"

#include "algebras/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {

using namespace hopper_limits;

// Strides of a tensor map are multiples of 16 bytes.
static constexpr std::int64_t tensor_map_granule = 16;
// Every slot of a ring begins at a multiple of the widest swizzle's period.
static constexpr std::int64_t slot_alignment = 1024;
bool copyEngineTakes(const algebras::Layer &layer) {
  constexpr std::int64_t step = tensor_map_granule / 2;
  return coefficientsOf(layer.lift) != Coefficients::General && layer.in.isEqual() && layer.out.isEqual() &&
         layer.row_types.kind() != algebras::RowTypes::Kind::Explicit && layer.in.width(0) % step == 0 &&
         layer.out.width(0) % step == 0;
}

void requireHopperLayer(const algebras::Layer &layer) {
  using algebras::InputError;
  if (copyEngineTakes(layer))
    return;
  static const char *const hint =
      "let the threads copy: leave the schedule to cost, or write one with warps=, as "
      "rows=64,columns=64,depth=32,stages=4,warps=2x2";
  if (coefficientsOf(layer.lift) == Coefficients::General)
    throw InputError("kernels whose blocks the copy engine moves multiply by coefficients +1 and -1 only")
        .hint(hint);
  if (!layer.in.isEqual() || !layer.out.isEqual())
    throw InputError("the copy engine finds groups of one width only, by tensor maps").hint(hint);
  if (layer.row_types.kind() == algebras::RowTypes::Kind::Explicit)
    throw InputError("the copy engine finds rows of a type at one distance only, by tensor maps").hint(hint);
  // X is addressed group by group, and so is W. An f32 result asks for less than W does.
  const bool input = layer.in.width(0) * 2 % tensor_map_granule != 0;
  const std::int64_t width = (input ? layer.in : layer.out).width(0);
  throw InputError(fmt::format("{} groups of {} features are {} bytes wide, and tensor maps address "
                               "multiples of {} bytes",
                               input ? "input" : "output", width, width * 2, tensor_map_granule))
      .hint(hint);
}

HopperRegisters hopperRegisters(std::int64_t warpgroups) {
  // 65536 registers for 256 to 640 threads. The assembler counts on what threads start with, 255, 168, 128 or
  // 96: the others need a little more than that, and a load may have what they leave.
  switch (warpgroups) {
  case 1:
    return {56, 240};
  case 2:
    return {56, 224};
  case 3:
    return {56, 144};
  default:
    return {56, 104};
  }
}

std::int64_t stageBytes(const HopperSchedule &schedule, std::int64_t weights) {
  return roundUp(schedule.types * schedule.rows * schedule.depth * 2, slot_alignment) +
         weights * roundUp(schedule.depth * schedule.columns * 2, slot_alignment);
}

std::int64_t stagingBytes(const HopperSchedule &schedule, algebras::DataType output) {
  auto staging = [&](std::int64_t parts) {
    return schedule.warpgroups() *
           roundUp(64 * schedule.instructionWidth() / parts * byteWidth(output), slot_alignment);
  };
  // Where only long tiles are divided, others are stored whole.
  return staging(schedule.split) + (schedule.split > 1 && schedule.long_groups > 0 ? staging(1) : 0);
}

std::int64_t exchangeBytes(const HopperSchedule &schedule) {
  return schedule.warpgroups() * 64 * (schedule.instructionWidth() / schedule.split) * (schedule.split - 1) *
         4;
}

std::int64_t heldBytes(const HopperSchedule &schedule, std::int64_t k) {
  return schedule.held_groups > 0 ? schedule.types * schedule.rows * roundUp(k, schedule.depth) * 2 : 0;
}

std::int64_t stagesThatFit(const HopperSchedule &schedule, algebras::DataType output, std::int64_t held,
                           std::int64_t weights) {
  const std::int64_t left = hopper_shared_bytes - reserved_shared_bytes - stagingBytes(schedule, output) -
                            exchangeBytes(schedule) - held;
  return std::clamp<std::int64_t>(left / stageBytes(schedule, weights), 0, most_stages);
}

/// What thread blocks share.
static MaybeRefusal refusalOfSharing(const algebras::Layer &layer, const HopperSchedule &schedule) {
  if (schedule.types < 1)
    return refuse("types", fmt::format("{} types: a tile has at least one", schedule.types));
  const std::optional<std::int64_t> complete = layer.lift.completeGraph();
  if ((schedule.types > 1 || schedule.held_groups > 0) && !complete)
    return refuse(
        "terms",
        fmt::format("{}: only of a complete graph it is known which blocks types share and "
                    "which rows groups share",
                    schedule.types > 1 ? fmt::format("{} types in a tile", schedule.types) : "held rows"));
  if ((schedule.types > 1 || schedule.held_groups > 0) && layer.lift.isTransposed())
    return refuse(
        "terms",
        fmt::format("{} in a gradient of X: rows of dY of a type's own group are used no more often than "
                    "others, and no kernel shares blocks of the transposed bank among types yet",
                    schedule.types > 1 ? fmt::format("{} types in a tile", schedule.types) : "held rows"));
  if (schedule.types > 1 && schedule.types > *complete)
    return refuse("types", fmt::format("{} types in a tile: there are {}", schedule.types, *complete));
  if (schedule.held_groups > layer.lift.outputGroups())
    return refuse("held groups", fmt::format("hold={}: there are {} groups", schedule.held_groups,
                                             layer.lift.outputGroups()));
  if (schedule.cluster() > 1 && (schedule.types > 1 || schedule.held_groups > 0))
    return refuse("cluster", "a cluster whose tiles have several types or held rows: no kernel has both yet");
  if (schedule.held_groups < 0)
    return refuse("held groups",
                  fmt::format("hold={}: groups for which rows of X stay, or 0", schedule.held_groups));
  // Rows of a block of the bank are its depth, or its columns where it is transposed.
  const std::int64_t bank_rows = layer.lift.isTransposed() ? schedule.columns : schedule.depth;
  return refusalOfCluster(schedule, {"X", schedule.rows}, {"the bank", bank_rows});
}

/// What only kernels of one product, or of one result, do so far.
static MaybeRefusal refusalOfFusion(const algebras::Fused &fused, const HopperSchedule &schedule) {
  const bool several = fused.weights > 1 || fused.results > 1 || fused.mapsReadRows();
  if (several && (schedule.types > 1 || schedule.held_groups > 0))
    return refuse("fusion",
                  fmt::format("{} for several products, several results, or maps that read rows: no kernel "
                              "has both yet",
                              schedule.types > 1 ? "tiles of several types" : "held rows"));
  if (fused.weights > 1 && schedule.split > 1)
    return refuse("fusion", fmt::format("split={} of {} products: blocks exchange the sums of one",
                                        schedule.split, fused.weights));
  if (fused.results > 1 && schedule.rows_on == RowSide::N)
    return refuse("fusion", fmt::format("rows on side N for {} results: the further ones are written by "
                                        "threads that have rows of the sums",
                                        fused.results));
  return std::nullopt;
}

/// Tiles of some groups before those of others.
static MaybeRefusal refusalOfOrder(const algebras::Layer &layer, const HopperSchedule &schedule) {
  if (schedule.long_groups == 0)
    return std::nullopt;
  if (const std::string reason = whyNoOrder(layer.lift, schedule.long_groups); !reason.empty())
    return refuse("long groups", reason);
  if (schedule.types > 1 || schedule.held_groups > 0)
    return refuse("long groups",
                  "long groups, with tiles of several types or held rows: no kernel has both yet");
  return std::nullopt;
}

MaybeRefusal refusal(const algebras::Layer &layer, const HopperSchedule &schedule,
                     algebras::DataType output) {
  if (MaybeRefusal tile = refusalOfTile(schedule, layer.fused.weights))
    return tile;
  if (MaybeRefusal fused = refusalOfFusion(layer.fused, schedule))
    return fused;
  if (schedule.turns > 1 && (schedule.types > 1 || schedule.held_groups > 0))
    return refuse("turns", "turns, with tiles of several types or held rows: no kernel has both yet");
  if (MaybeRefusal shared = refusalOfSharing(layer, schedule))
    return shared;
  if (MaybeRefusal order = refusalOfOrder(layer, schedule))
    return order;
  if (MaybeRefusal split = refusalOfSplit(schedule))
    return split;
  const std::int64_t held = heldBytes(schedule, layer.in.width(0));
  const std::int64_t weights = layer.fused.weights;
  const std::int64_t fit = stagesThatFit(schedule, output, held, weights);
  std::string beside = fmt::format("{} bytes for the result", stagingBytes(schedule, output));
  if (held > 0)
    beside = fmt::format("{} bytes of held rows and {}", held, beside);
  if (schedule.split > 1)
    beside = fmt::format("{} bytes of others' sums and {}", exchangeBytes(schedule), beside);
  return refusalOfStages(schedule, fit, beside, weights);
}

std::string whyIllegal(const algebras::Layer &layer, const HopperSchedule &schedule,
                       algebras::DataType output) {
  return reasonOf(refusal(layer, schedule, output));
}

} // namespace compiler
