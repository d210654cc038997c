#include "compiler/schedule/ampere_schedule.h"
#include "compiler/schedule/group_order.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {

static constexpr std::pair<std::int64_t, std::int64_t> arrangements[] = {{2, 2}, {2, 4}, {4, 2}, {1, 4},
                                                                         {4, 1}, {1, 2}, {2, 1}, {1, 1}};

/// What is legal and not worth a look: a tile of which whole instructions would be zeros, and spills.
static MaybeRefusal wastefulOfAny(const algebras::Layer &layer, const AmpereSchedule &schedule) {
  const std::int64_t n = layer.out.widest();
  if (schedule.columns - 16 >= n && schedule.columns > 16)
    return Refusal{"wider than a group", fmt::format("{} columns: an output group has {}, the rest would "
                                                     "be zeros",
                                                     schedule.columns, n)};
  const AmpereSchedule whole = completed(layer, schedule);
  if (const std::int64_t copies = copiesOfThread(whole, layer.fused.weights);
      whole.vector == 1 && copies > most_single_copies)
    return Refusal{"single elements",
                   fmt::format("{} single elements for a thread to copy in a stage: beyond {} they may not "
                               "all find registers",
                               copies, most_single_copies)};
  return std::nullopt;
}

/// Where tiles may have no steps and one turn fills the ring, LLVM writes its group of copies once for tiles
/// with steps and once for those without, which is correct, and more code than the gates for machine code let
/// pass.
static MaybeRefusal filledByOneTurn(const AmpereSchedule &schedule) {
  if (schedule.stages != 2)
    return std::nullopt;
  return Refusal{"two stages", "2 stages: a ring that is filled by one turn is written twice"};
}

static MaybeRefusal wasteful(const algebras::Layer &layer, const AmpereSchedule &schedule) {
  const std::int64_t k = layer.in.widest();
  // Of groups of unequal widths the pieces of a tile's terms are listed, perhaps none.
  const bool unequal = !layer.in.isEqual() || !layer.out.isEqual();
  if (MaybeRefusal refused = unequal ? filledByOneTurn(schedule) : std::nullopt)
    return refused;
  // 48 deep is one stage of 64 with zeros, or three of 16: both are worth a look.
  if (schedule.depth > 16 && schedule.depth / 2 >= k)
    return Refusal{
        "deeper than a group",
        fmt::format("a depth of {}: an input group has {}, the rest would be zeros", schedule.depth, k)};
  return wastefulOfAny(layer, schedule);
}

/// How deep a step may be depends on the rows of the batch, and is for the cost to say.
static MaybeRefusal wastefulOfBank(const algebras::Layer &layer, const AmpereSchedule &schedule) {
  const std::int64_t k = layer.in.widest();
  // Blocks of dW may have no steps.
  if (MaybeRefusal refused = filledByOneTurn(schedule))
    return refused;
  if (schedule.rows > 16 && schedule.rows / 2 >= k)
    return Refusal{
        "higher than a group",
        fmt::format("{} rows: an input group has {} features, the rest would be zeros", schedule.rows, k)};
  return wastefulOfAny(layer, schedule);
}

/// Tiles whose long groups come first, where there are such: it costs nothing.
static std::vector<Considered<AmpereSchedule>>
consider(const algebras::Layer &layer, std::int64_t vector, std::int64_t long_groups,
         MaybeRefusal (*refusalOf)(const algebras::Layer &, const AmpereSchedule &, Coefficients),
         MaybeRefusal (*wasteOf)(const algebras::Layer &, const AmpereSchedule &)) {
  const Coefficients coefficients = coefficientsOf(layer.lift);
  std::vector<Considered<AmpereSchedule>> considered;
  for (std::int64_t depth : {32, 64, 16})
    for (std::int64_t rows : {64, 128, 32, 16})
      for (std::int64_t columns = 256; columns >= 16; columns -= 16)
        for (const auto &[warp_rows, warp_columns] : arrangements)
          for (std::int64_t stages : {4, 3, 2}) {
            AmpereSchedule schedule{rows,      columns,      depth,  stages,
                                    warp_rows, warp_columns, vector, long_groups};
            MaybeRefusal refused = refusalOf(layer, schedule, coefficients);
            if (!refused)
              refused = wasteOf(layer, schedule);
            if (!refused)
              schedule = completed(layer, schedule);
            considered.push_back({schedule, std::move(refused)});
          }
  return considered;
}

std::vector<Considered<AmpereSchedule>> considerAmpere(const algebras::Layer &layer, std::int64_t vector) {
  const std::int64_t long_groups = layer.lift.isTransposed() ? longGroups(layer.lift) : 0;
  return consider(layer, vector, long_groups, refusal, wasteful);
}

std::vector<Considered<AmpereSchedule>> considerAmpereBankGradient(const algebras::Layer &layer,
                                                                   std::int64_t vector) {
  const std::vector<double> types = typesByRank(layer.lift);
  const std::int64_t long_groups = types.size() > 1 ? longRanks(types) : 0;
  return consider(layer, vector, long_groups, bankGradientRefusal, wastefulOfBank);
}

} // namespace compiler
