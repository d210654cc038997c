// What the machine allows: which layers the kernels of sm_80 can take, and which schedules fit.
#include "compiler/schedule/ampere_schedule.h"
#include "compiler/schedule/coefficients.h"
#include "compiler/schedule/group_order.h"

#include "algebras/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace compiler {

// Period of the widest swizzle.
static constexpr std::int64_t slot_alignment = 1024;
// What a thread needs beside sums and fragments: addresses of its copies, and the place in the walk.
static constexpr std::int64_t registers_beside_fragments = 56;
static constexpr std::int64_t most_registers = 255, register_file = 65536;
static constexpr std::int64_t most_warps = 16, most_tile_side = 256;

std::int64_t widestVector(const algebras::Layer &layer) {
  std::int64_t vector = 8;
  for (const algebras::Groups *groups : {&layer.in, &layer.out})
    for (std::int64_t group = 0; group < (groups->isEqual() ? 1 : groups->count()); ++group)
      vector = std::gcd(vector, groups->width(group));
  return vector;
}

std::int64_t ampereStageBytes(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                              std::int64_t weights) {
  auto slot = [](std::int64_t bytes) {
    return (bytes + slot_alignment - 1) / slot_alignment * slot_alignment;
  };
  return slot(rows * depth * 2) + weights * slot(depth * columns * 2);
}

std::int64_t ampereStagesThatFit(const AmpereSchedule &schedule, std::int64_t weights) {
  return std::min(most_ampere_stages, ampere_shared_bytes / ampereStageBytes(schedule.rows, schedule.columns,
                                                                             schedule.depth, weights));
}

std::int64_t copiesOfThread(const AmpereSchedule &schedule, std::int64_t weights) {
  const std::int64_t of_all = schedule.vector * schedule.threads();
  return ((schedule.rows + weights * schedule.columns) * schedule.depth + of_all - 1) / of_all;
}

/// Registers for the copies of a thread in one stage, which ptxas issues side by side, each with its address
/// and its mask. Fitted to ptxas 12.9 for sm_80 and sm_120.
static std::int64_t registersOfCopies(std::int64_t copies, std::int64_t vector) {
  const std::int64_t few = std::max<std::int64_t>(0, 2 * (copies - 8));
  return vector == 1 ? few : std::max(few, 5 * (copies - 16));
}

/// What a product of rows from a list adds: the list, and for each copy of such a row the row's own address.
/// Fitted to ptxas 13.0 for sm_80 and sm_90a, by the schedules that spilled a word without it; gradients of
/// the bank, which copy rows of both operands, did not.
static std::int64_t registersOfList(const AmpereSchedule &schedule) {
  constexpr std::int64_t beside = 4, of_copy = 3;
  const std::int64_t of_all = schedule.vector * schedule.threads();
  return beside + of_copy * ((schedule.rows * schedule.depth + of_all - 1) / of_all);
}

/// Registers of a thread: its sums, of every bank, and twice where they are scaled, the operands of one
/// instruction depth, and its copies. What is within the limit does not spill, unless it copies more than
/// most_single_copies.
static std::int64_t registersNeeded(const algebras::Layer &layer, const AmpereSchedule &schedule,
                                    Coefficients coefficients, bool listed_product) {
  const std::int64_t warp_rows = schedule.rows / schedule.warp_rows,
                     warp_columns = schedule.columns / schedule.warp_columns;
  const std::int64_t sums = warp_rows * warp_columns / 32 * layer.fused.weights;
  const bool scaled = coefficients == Coefficients::General;
  const AmpereSchedule whole = completed(layer, schedule);
  return sums * (scaled ? 2 : 1) + warp_rows / 16 * 4 + warp_columns / 8 * 2 + registers_beside_fragments +
         registersOfCopies(copiesOfThread(whole, layer.fused.weights), whole.vector) +
         (listed_product ? registersOfList(whole) : 0);
}

/// What is wrong whatever is computed.
static MaybeRefusal refusalOfTile(const algebras::Layer &layer, const AmpereSchedule &schedule,
                                  Coefficients coefficients, bool bank_gradient) {
  if (schedule.warp_rows < 1 || schedule.warp_columns < 1 || schedule.warp_rows > most_warps ||
      schedule.warp_columns > most_warps || schedule.warps() > most_warps)
    return refuse("warps", fmt::format("{}x{} warps: a block has 1 to {}", schedule.warp_rows,
                                       schedule.warp_columns, most_warps));
  if (schedule.rows < 16 || schedule.rows > most_tile_side || schedule.rows % (16 * schedule.warp_rows) != 0)
    return refuse("rows", fmt::format("{} rows: a tile has up to {}, a multiple of 16 for each of {} rows of "
                                      "warps",
                                      schedule.rows, most_tile_side, schedule.warp_rows));
  if (schedule.columns < 16 || schedule.columns > most_tile_side || schedule.columns % 16 != 0 ||
      schedule.columns % (8 * schedule.warp_columns) != 0)
    return refuse("columns", fmt::format("{} columns: a tile has up to {}, a multiple of 16, and of 8 for "
                                         "each of {} columns of warps",
                                         schedule.columns, most_tile_side, schedule.warp_columns));
  if (schedule.depth != 16 && schedule.depth != 32 && schedule.depth != 64)
    return refuse("depth", fmt::format("a depth of {}: a stage is one swizzled panel of X deep, 16, 32 or 64",
                                       schedule.depth));
  if (schedule.vector != 0 && schedule.vector != 1 && schedule.vector != 2 && schedule.vector != 4 &&
      schedule.vector != 8)
    return refuse("vector",
                  fmt::format("vectors of {}: threads copy 1, 2, 4 or 8 elements at a time, or 0 for "
                              "as many as the layer allows",
                              schedule.vector));
  if (const std::int64_t widest = widestVector(layer); schedule.vector > widest)
    return refuse("vector", fmt::format("vectors of {}: input groups of {} and output groups of {} features "
                                        "are multiples of {} at most",
                                        schedule.vector, layer.in.widest(), layer.out.widest(), widest));
  const std::int64_t registers = std::min(most_registers, register_file / schedule.threads() / 8 * 8);
  const bool listed_product = !bank_gradient && layer.row_types.kind() == algebras::RowTypes::Kind::Explicit;
  if (const std::int64_t needed = registersNeeded(layer, schedule, coefficients, listed_product);
      needed > registers)
    return refuse("registers",
                  fmt::format("{} x {} sums for {}x{} warps take about {} registers of a thread, "
                              "which has {}",
                              schedule.rows, schedule.columns, schedule.warp_rows, schedule.warp_columns,
                              needed, registers));
  if (schedule.stages < 0 || schedule.stages == 1 || schedule.stages > most_ampere_stages)
    return refuse("stages", fmt::format("{} stages: a ring has 2 to {}, or 0 for as many as are useful",
                                        schedule.stages, most_ampere_stages));
  const std::int64_t weights = layer.fused.weights;
  const std::int64_t fit = ampereStagesThatFit(schedule, weights),
                     wanted = std::max<std::int64_t>(2, schedule.stages);
  if (wanted > fit)
    return refuse("shared memory",
                  fmt::format("{} stages of {} bytes exceed the {} bytes of shared memory; {} fit", wanted,
                              ampereStageBytes(schedule.rows, schedule.columns, schedule.depth, weights),
                              ampere_shared_bytes, fit));
  return std::nullopt;
}

static MaybeRefusal refusal(const algebras::Layer &layer, const AmpereSchedule &schedule,
                            Coefficients coefficients, const std::string &no_order, bool bank_gradient) {
  if (!no_order.empty())
    return refuse("long groups", no_order);
  return refusalOfTile(layer, schedule, coefficients, bank_gradient);
}

MaybeRefusal refusal(const algebras::Layer &layer, const AmpereSchedule &schedule,
                     Coefficients coefficients) {
  return refusal(layer, schedule, coefficients, whyNoOrder(layer.lift, schedule.long_groups),
                 /*bank_gradient=*/false);
}

MaybeRefusal bankGradientRefusal(const algebras::Layer &layer, const AmpereSchedule &schedule,
                                 Coefficients coefficients) {
  return refusal(layer, schedule, coefficients, whyNoBankOrder(layer.lift, schedule.long_groups),
                 /*bank_gradient=*/true);
}

std::string whyIllegal(const algebras::Layer &layer, const AmpereSchedule &schedule) {
  return reasonOf(refusal(layer, schedule, coefficientsOf(layer.lift)));
}

AmpereSchedule completed(const algebras::Layer &layer, AmpereSchedule schedule) {
  if (schedule.stages == 0)
    schedule.stages = std::min(usual_ampere_stages, ampereStagesThatFit(schedule, layer.fused.weights));
  if (schedule.vector == 0)
    schedule.vector = widestVector(layer);
  return schedule;
}

} // namespace compiler
