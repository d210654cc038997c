// What the machine allows: which layers the Hopper kernels can take, and which schedules fit.
#include "compiler/schedule/coefficients.h"
#include "compiler/schedule/gpu_layer.h"
#include "compiler/schedule/group_order.h"
#include "compiler/schedule/hopper_schedule.h"

#include "algebras/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {

// Strides of a tensor map are multiples of 16 bytes.
static constexpr std::int64_t tensor_map_granule = 16;
// Every slot of a ring begins at a multiple of the widest swizzle's period.
static constexpr std::int64_t slot_alignment = 1024;
// What ptxas wants for a tensor-core instruction beside its sums. It holds each kernel to the registers that
// a thread has when the block starts, before the roles deal them out anew.
static constexpr std::int64_t registers_beside_sums = 26;

static std::int64_t roundUp(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

bool copyEngineTakes(const algebras::Layer &layer) {
  constexpr std::int64_t step = tensor_map_granule / 2;
  return coefficientsOf(layer.lift) != Coefficients::General && layer.in.isEqual() && layer.out.isEqual() &&
         layer.row_types.kind() != algebras::RowTypes::Kind::Explicit && layer.in.width(0) % step == 0 &&
         layer.out.width(0) % step == 0;
}

void requireHopperLayer(const algebras::Layer &layer, HopperOutput) {
  using algebras::InputError;
  requireGpuLayer(layer, "sm_90a");
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

std::int64_t stageBytes(const HopperSchedule &schedule) {
  return roundUp(schedule.types * schedule.rows * schedule.depth * 2, slot_alignment) +
         roundUp(schedule.depth * schedule.columns * 2, slot_alignment);
}

static std::int64_t outputBytes(HopperOutput output) { return output == HopperOutput::BF16 ? 2 : 4; }

std::int64_t stagingBytes(const HopperSchedule &schedule, HopperOutput output) {
  auto staging = [&](std::int64_t parts) {
    return schedule.warpgroups() *
           roundUp(64 * schedule.instructionWidth() / parts * outputBytes(output), slot_alignment);
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

std::int64_t stagesThatFit(const HopperSchedule &schedule, HopperOutput output, std::int64_t held) {
  const std::int64_t left = hopper_shared_bytes - reserved_shared_bytes - stagingBytes(schedule, output) -
                            exchangeBytes(schedule) - held;
  return std::clamp<std::int64_t>(left / stageBytes(schedule), 0, most_stages);
}

using Refusal = std::optional<HopperRefusal>;

static Refusal refuse(const char *kind, std::string reason) { return HopperRefusal{kind, std::move(reason)}; }

/// What thread blocks share.
static Refusal refusalOfSharing(const algebras::Layer &layer, const HopperSchedule &schedule) {
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
  constexpr std::int64_t most_blocks = 8;
  for (const std::int64_t blocks : {schedule.cluster_rows, schedule.cluster_columns})
    if (blocks != 1 && blocks != 2 && blocks != 4)
      return refuse("cluster", fmt::format("a cluster of {}x{} blocks: 1, 2 or 4 in each direction",
                                           schedule.cluster_rows, schedule.cluster_columns));
  if (schedule.cluster() > most_blocks)
    return refuse("cluster", fmt::format("a cluster of {}x{} blocks: at most {} run together",
                                         schedule.cluster_rows, schedule.cluster_columns, most_blocks));
  // Each block of a cluster loads a part of what it shares: whole periods of 8 rows of the swizzle. Rows of a
  // block of the bank are its depth, or its columns where it is transposed.
  constexpr std::int64_t period = 8;
  const std::int64_t bank_rows = layer.lift.isTransposed() ? schedule.columns : schedule.depth;
  if (schedule.rows / schedule.cluster_columns % period != 0 ||
      bank_rows / schedule.cluster_rows % period != 0)
    return refuse(
        "cluster",
        fmt::format("a cluster of {}x{} blocks: {} rows of X and {} of the bank cannot be loaded in "
                    "parts that are multiples of {}",
                    schedule.cluster_rows, schedule.cluster_columns, schedule.rows, bank_rows, period));
  return std::nullopt;
}

/// Tiles that the tensor cores have instructions for.
static Refusal refusalOfTile(const HopperSchedule &schedule) {
  if (schedule.rows_on == RowSide::N) {
    if (schedule.rows < 8 || schedule.rows > 256 || schedule.rows % 8 != 0)
      return refuse("rows",
                    fmt::format("{} rows on side N: a tile has 8 to 256, a multiple of 8", schedule.rows));
    if (schedule.columns < 64 || schedule.columns % 64 != 0 || schedule.warpgroupsOfTile() > most_warpgroups)
      return refuse("columns",
                    fmt::format("{} columns on side M: a tile has 64 for each of 1 to {} warpgroups",
                                schedule.columns, most_warpgroups));
    if (schedule.types > 1 || schedule.held_groups > 0)
      return refuse("rows",
                    "rows on side N: warpgroups are dealt out by columns there, so that a tile has one type "
                    "and holds no rows");
    return std::nullopt;
  }
  if (schedule.rows < 64 || schedule.rows % 64 != 0 || schedule.warpgroupsOfTile() > most_warpgroups)
    return refuse("rows",
                  fmt::format("{} rows{}: a tile has 64 for each of 1 to {} warpgroups", schedule.rows,
                              schedule.types == 1 ? "" : fmt::format(" of {} types", schedule.types),
                              most_warpgroups));
  if (schedule.columns < 16 || schedule.columns > 256 || schedule.columns % 16 != 0)
    return refuse("columns",
                  fmt::format("{} columns: a tile has 16 to 256, a multiple of 16", schedule.columns));
  return std::nullopt;
}

/// Tiles of some groups before those of others.
static Refusal refusalOfOrder(const algebras::Layer &layer, const HopperSchedule &schedule) {
  if (schedule.long_groups == 0)
    return std::nullopt;
  if (const std::string reason = whyNoOrder(layer.lift, schedule.long_groups); !reason.empty())
    return refuse("long groups", reason);
  if (schedule.types > 1 || schedule.held_groups > 0)
    return refuse("long groups",
                  "long groups, with tiles of several types or held rows: no kernel has both yet");
  return std::nullopt;
}

/// Tiles whose steps several blocks divide.
static Refusal refusalOfSplit(const HopperSchedule &schedule) {
  const std::int64_t split = schedule.split;
  if (split == 1)
    return std::nullopt;
  if (split != 2 && split != 4 && split != 8)
    return refuse("split", fmt::format("split={}: 1, 2, 4 or 8 blocks own a tile together", split));
  if (schedule.types > 1)
    return refuse("split", "a split of tiles of several types: no kernel has both yet");
  if (schedule.held_groups > 0)
    return refuse("split", "a split with held rows: they are for a block that takes all steps of a tile");
  if (schedule.cluster() > 1)
    return refuse("split",
                  fmt::format("a split in a cluster of {}x{}: its blocks take other steps, and would "
                              "copy nothing for each other",
                              schedule.cluster_rows, schedule.cluster_columns));
  if (schedule.turns > 1)
    return refuse("split",
                  "a split with turns: each part would exchange sums of its own; no kernel has both yet");
  // Each block stores a part: whole pieces of 8 of the sums that a thread holds, whole panels of the result.
  const std::int64_t step = schedule.rows_on == RowSide::M ? 16 : 8;
  if (schedule.instructionWidth() % (split * step) != 0)
    return refuse("split", fmt::format("split={}: {} {} have no {} equal parts that are multiples of {}",
                                       split, schedule.instructionWidth(),
                                       schedule.rows_on == RowSide::M ? "columns" : "rows", split, step));
  return std::nullopt;
}

Refusal refusal(const algebras::Layer &layer, const HopperSchedule &schedule, HopperOutput output) {
  if (Refusal tile = refusalOfTile(schedule))
    return tile;
  if (schedule.turns < 1 || schedule.warpgroups() > most_warpgroups)
    return refuse("turns", fmt::format("{} turns of {} warpgroups: {} warpgroups multiply at most",
                                       schedule.turns, schedule.warpgroupsOfTile(), most_warpgroups));
  if (schedule.turns > 1 && (schedule.types > 1 || schedule.held_groups > 0))
    return refuse("turns", "turns, with tiles of several types or held rows: no kernel has both yet");
  if (schedule.depth != 16 && schedule.depth != 32 && schedule.depth != 64)
    return refuse("depth", fmt::format("a depth of {}: a stage is one swizzled panel of X deep, 16, 32 or 64",
                                       schedule.depth));
  const std::int64_t registers = std::min<std::int64_t>(255, 65536 / schedule.threads() / 8 * 8);
  const std::int64_t needed = schedule.instructionWidth() / 2 + registers_beside_sums;
  if (needed > registers)
    return refuse("registers",
                  fmt::format("{} {}: a product takes {} registers of a thread for its sums and beside them, "
                              "but {} threads start with {} each",
                              schedule.instructionWidth(),
                              schedule.rows_on == RowSide::M ? "columns" : "rows", needed, schedule.threads(),
                              registers));
  if (Refusal shared = refusalOfSharing(layer, schedule))
    return shared;
  if (Refusal order = refusalOfOrder(layer, schedule))
    return order;
  if (Refusal split = refusalOfSplit(schedule))
    return split;
  const std::int64_t held = heldBytes(schedule, layer.in.width(0));
  const std::int64_t fit = stagesThatFit(schedule, output, held);
  std::string beside = fmt::format("{} bytes", stagingBytes(schedule, output));
  if (held > 0)
    beside = fmt::format("{} bytes of held rows and {}", held, beside);
  if (schedule.split > 1)
    beside = fmt::format("{} bytes of others' sums and {}", exchangeBytes(schedule), beside);
  if (fit < 2)
    return refuse(
        "shared memory",
        fmt::format("two stages of {} bytes and {} for the result do not fit the {} bytes of shared memory",
                    stageBytes(schedule), beside, hopper_shared_bytes));
  if (schedule.stages < 0 || schedule.stages == 1)
    return refuse("stages", fmt::format("{} stages: a ring needs at least 2, or 0 for as many as fit",
                                        schedule.stages));
  if (schedule.stages > fit)
    return refuse(
        "shared memory",
        fmt::format(
            "{} stages of {} bytes and {} for the result exceed the {} bytes of shared memory; {} fit",
            schedule.stages, stageBytes(schedule), beside, hopper_shared_bytes, fit));
  return std::nullopt;
}

std::string whyIllegal(const algebras::Layer &layer, const HopperSchedule &schedule, HopperOutput output) {
  const Refusal refused = refusal(layer, schedule, output);
  return refused ? refused->reason : "";
}

} // namespace compiler
