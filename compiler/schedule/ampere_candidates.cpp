#include "compiler/schedule/ampere_schedule.h"
#include "compiler/schedule/group_order.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {

static constexpr std::pair<std::int64_t, std::int64_t> arrangements[] = {{2, 2}, {2, 4}, {4, 2}, {1, 4},
                                                                         {4, 1}, {1, 2}, {2, 1}, {1, 1}};

using Refusal = std::optional<AmpereRefusal>;

/// What is legal and not worth a look: a tile of which whole instructions would be zeros, and spills.
static Refusal wastefulOfAny(const algebras::Layer &layer, const AmpereSchedule &schedule) {
  const std::int64_t n = layer.out.widest();
  if (schedule.columns - 16 >= n && schedule.columns > 16)
    return AmpereRefusal{"wider than a group",
                         fmt::format("{} columns: an output group has {}, the rest would "
                                     "be zeros",
                                     schedule.columns, n)};
  const AmpereSchedule whole = completed(layer, schedule);
  if (const std::int64_t copies = copiesOfThread(whole); whole.vector == 1 && copies > most_single_copies)
    return AmpereRefusal{
        "single elements",
        fmt::format("{} single elements for a thread to copy in a stage: beyond {} they may not "
                    "all find registers",
                    copies, most_single_copies)};
  return std::nullopt;
}

/// Where tiles may have no steps and one turn fills the ring, LLVM writes its group of copies once for tiles
/// with steps and once for those without, which is correct, and more code than the gates for machine code let
/// pass.
static Refusal filledByOneTurn(const AmpereSchedule &schedule) {
  if (schedule.stages != 2)
    return std::nullopt;
  return AmpereRefusal{"two stages", "2 stages: a ring that is filled by one turn is written twice"};
}

static Refusal wasteful(const algebras::Layer &layer, const AmpereSchedule &schedule) {
  const std::int64_t k = layer.in.widest();
  // Of groups of unequal widths the pieces of a tile's terms are listed, perhaps none.
  const bool unequal = !layer.in.isEqual() || !layer.out.isEqual();
  if (Refusal refused = unequal ? filledByOneTurn(schedule) : std::nullopt)
    return refused;
  // 48 deep is one stage of 64 with zeros, or three of 16: both are worth a look.
  if (schedule.depth > 16 && schedule.depth / 2 >= k)
    return AmpereRefusal{
        "deeper than a group",
        fmt::format("a depth of {}: an input group has {}, the rest would be zeros", schedule.depth, k)};
  return wastefulOfAny(layer, schedule);
}

/// How deep a step may be depends on the rows of the batch, and is for the cost to say.
static Refusal wastefulOfBank(const algebras::Layer &layer, const AmpereSchedule &schedule) {
  const std::int64_t k = layer.in.widest();
  // Blocks of dW may have no steps.
  if (Refusal refused = filledByOneTurn(schedule))
    return refused;
  if (schedule.rows > 16 && schedule.rows / 2 >= k)
    return AmpereRefusal{
        "higher than a group",
        fmt::format("{} rows: an input group has {} features, the rest would be zeros", schedule.rows, k)};
  return wastefulOfAny(layer, schedule);
}

/// Tiles whose long groups come first, where there are such: it costs nothing.
static std::vector<AmpereConsidered>
consider(const algebras::Layer &layer, std::int64_t vector, std::int64_t long_groups,
         Refusal (*refusalOf)(const algebras::Layer &, const AmpereSchedule &, Coefficients),
         Refusal (*wasteOf)(const algebras::Layer &, const AmpereSchedule &)) {
  const Coefficients coefficients = coefficientsOf(layer.lift);
  std::vector<AmpereConsidered> considered;
  for (std::int64_t depth : {32, 64, 16})
    for (std::int64_t rows : {64, 128, 32, 16})
      for (std::int64_t columns = 256; columns >= 16; columns -= 16)
        for (const auto &[warp_rows, warp_columns] : arrangements)
          for (std::int64_t stages : {4, 3, 2}) {
            AmpereSchedule schedule{rows,      columns,      depth,  stages,
                                    warp_rows, warp_columns, vector, long_groups};
            Refusal refused = refusalOf(layer, schedule, coefficients);
            if (!refused)
              refused = wasteOf(layer, schedule);
            if (!refused)
              schedule = completed(layer, schedule);
            considered.push_back({schedule, std::move(refused)});
          }
  return considered;
}

std::vector<AmpereConsidered> considerAmpere(const algebras::Layer &layer, std::int64_t vector) {
  const std::int64_t long_groups = layer.lift.isTransposed() ? longGroups(layer.lift) : 0;
  return consider(layer, vector, long_groups, refusal, wasteful);
}

std::vector<AmpereConsidered> considerAmpereBankGradient(const algebras::Layer &layer, std::int64_t vector) {
  const std::vector<double> types = typesByRank(layer.lift);
  const std::int64_t long_groups = types.size() > 1 ? longRanks(types) : 0;
  return consider(layer, vector, long_groups, bankGradientRefusal, wastefulOfBank);
}

std::vector<AmpereSchedule> ampereCandidates(const algebras::Layer &layer, std::int64_t vector) {
  std::vector<AmpereSchedule> candidates;
  for (const AmpereConsidered &considered : considerAmpere(layer, vector))
    if (!considered.refusal)
      candidates.push_back(considered.schedule);
  return candidates;
}

} // namespace compiler
