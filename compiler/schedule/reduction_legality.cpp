// What the machine allows of vector reductions.
#include "compiler/schedule/reduction_schedule.h"

#include "compiler/schedule/staged.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace compiler {

int64_t reductionSharedBytes(const ReductionSchedule &schedule, int64_t products) {
  return products * schedule.warps() * schedule.rows * schedule.columns * 4;
}

/// Registers of a thread: its sums of all products, the vectors of all weight matrices on their way, numbers
/// of one row of one and of X, and for each row of the batch its term and where it is.
static int64_t registersNeeded(const ReductionSchedule &schedule, int64_t products) {
  constexpr int64_t beside = 40, of_a_row = 5;
  const int64_t words = std::max<int64_t>(1, schedule.vector / 2);
  return schedule.rows * (products * schedule.vector + of_a_row) + products * reduction_depth * words +
         schedule.vector + beside;
}

MaybeRefusal refusal(const algebras::Layer &layer, const ReductionSchedule &given) {
  constexpr int64_t warp = 32, most_threads = 1024, most_rows = 16;
  if (given.vector != 0 && given.vector != 1 && given.vector != 2 && given.vector != 4 && given.vector != 8)
    return Refusal{"vector",
                   fmt::format("a thread reads 1, 2, 4 or 8 elements at a time, not {}", given.vector)};
  if (!layer.in.isEqual() || !layer.out.isEqual())
    return Refusal{"groups", "vector reductions read input groups of one width, and write output "
                             "groups of one width"};
  if (layer.row_types.kind() == algebras::RowTypes::Kind::Explicit)
    return Refusal{"row types", "the row types are explicit, and vector reductions compute them from "
                                "positions"};
  if (layer.fused.results > 1)
    return Refusal{"fusion", "vector reductions compute one result"};
  const ReductionSchedule schedule = completed(layer, given);
  if (const int64_t widest = widestVector(layer); schedule.vector > widest)
    return Refusal{"vector",
                   fmt::format("groups of {} and {} columns are no multiples of {} elements: threads read {} "
                               "at most",
                               layer.in.width(0), layer.out.width(0), schedule.vector, widest)};
  if (schedule.rows < 1 || schedule.rows > most_rows)
    return Refusal{"rows",
                   fmt::format("a block takes 1 to {} rows of the batch, not {}", most_rows, schedule.rows)};
  const bool whole = schedule.columns > 0 && schedule.columns % schedule.vector == 0;
  if (!whole || !std::has_single_bit(static_cast<uint64_t>(schedule.lanes())) || schedule.lanes() > warp)
    return Refusal{"columns",
                   fmt::format("the columns of a block are 1, 2, 4, 8, 16 or 32 times the vector of {}, not "
                               "{}",
                               schedule.vector, schedule.columns)};
  if (schedule.slices < 1 || schedule.slices > most_threads / schedule.lanes() ||
      schedule.threads() % warp != 0)
    return Refusal{"threads", fmt::format("{} slices of {} threads each are not 1 to {} whole warps",
                                          schedule.slices, schedule.lanes(), most_threads / warp)};
  const int64_t registers = registersNeeded(schedule, layer.fused.weights),
                room = std::min(registers_of_thread, registers_of_multiprocessor / schedule.threads());
  if (registers > room)
    return Refusal{"registers",
                   fmt::format("a thread needs about {} registers for the sums of {} rows and what "
                               "it reads, and {} threads leave it {}",
                               registers, schedule.rows, schedule.threads(), room)};
  if (const int64_t bytes = reductionSharedBytes(schedule, layer.fused.weights); bytes > ampere_shared_bytes)
    return Refusal{"shared memory",
                   fmt::format("the sums of {} warps take {} bytes of shared memory, a block has {}",
                               schedule.warps(), bytes, ampere_shared_bytes)};
  return std::nullopt;
}

std::string whyIllegal(const algebras::Layer &layer, const ReductionSchedule &schedule) {
  return reasonOf(refusal(layer, schedule));
}

ReductionSchedule completed(const algebras::Layer &layer, ReductionSchedule schedule) {
  if (schedule.vector == 0)
    schedule.vector = widestVector(layer);
  return schedule;
}

} // namespace compiler
