// The adapter of the kernels of vector reductions, and where batched kernels overtake them.
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/reduction_schedule.h"

#include "algebras/coarsest.h"

#include <algorithm>
#include <map>

namespace compiler {

static RankedSchedule ranked(const ReductionSchedule &schedule, const ReductionCost &cost,
                             const GpuMachine &machine) {
  static const char *const names[] = {"memory", "loads", "issue", "latency"};
  RankedSchedule result;
  result.schedule = toString(schedule);
  result.tile = {schedule.rows, schedule.columns, schedule.slices * reduction_depth};
  result.predicted = cost.total();
  result.busy = {
      {"memory", cost.memory}, {"loads", cost.loads}, {"issue", cost.issue}, {"latency", cost.latency}};
  result.bound_by = names[static_cast<int>(cost.boundBy())];
  result.sum = {{result.bound_by, cost.bound()},
                {"tail", cost.tail},
                {"unhidden", cost.unhidden},
                {"launch", cost.launch}};
  result.tiles = cost.parts;
  result.waves = cost.parts / machine.multiprocessors;
  return result;
}

namespace {

/// What schedules cost one after the other, for a layer and a number of rows.
class Pricing {
public:
  Pricing(const algebras::Layer &layer, std::int64_t m, algebras::DataType output, const GpuMachine &machine)
      : layer(layer), m(m), machine(machine), work(projectionWork(layer, m, output)) {}

  ReductionCost operator()(const ReductionSchedule &schedule) {
    const std::int64_t rows = std::min(m, schedule.rows);
    if (!common.contains(rows))
      common[rows] = commonTerms(layer, rows);
    return reductionCost(work, schedule, common[rows], machine);
  }

private:
  const algebras::Layer &layer;
  const std::int64_t m;
  const GpuMachine &machine;
  const ProjectionWork work;
  std::map<std::int64_t, double> common; // by rows of a part, of which there are no more than the batch has
};

} // namespace

void addReductions(Ranking &ranking, const algebras::Layer &layer, std::int64_t m,
                   algebras::DataType output) {
  const bool explicit_types = layer.row_types.kind() == algebras::RowTypes::Kind::Explicit;
  if (m > most_reduction_rows || layer.lift.isTransposed() || explicit_types || !layer.in.isEqual() ||
      !layer.out.isEqual())
    return;
  const GpuMachine &machine = machineOf(ranking.target);
  Pricing price(layer, m, output, machine);
  for (const ReductionConsidered &one : considerReductions(layer))
    if (one.refusal)
      ranking.refused.push_back({toString(one.schedule), one.refusal->kind, one.refusal->reason});
    else
      ranking.legal.push_back(ranked(one.schedule, price(one.schedule), machine));
  sortByCost(ranking);
}

std::optional<ReductionSchedule> chooseReduction(const algebras::Layer &layer, std::int64_t m,
                                                 algebras::DataType output, std::int64_t vector,
                                                 const GpuMachine &machine) {
  Pricing price(layer, m, output, machine);
  std::optional<ReductionSchedule> best;
  double least = 0;
  for (const ReductionConsidered &one : considerReductions(layer, vector)) {
    if (one.refusal)
      continue;
    const double cost = price(one.schedule).total();
    if (!best || cost < least) {
      best = one.schedule;
      least = cost;
    }
  }
  return best;
}

const RankedSchedule *bestReduction(const Ranking &ranking) {
  const auto found = std::find_if(ranking.legal.begin(), ranking.legal.end(),
                                  [](const RankedSchedule &one) { return isReduction(one.schedule); });
  return found == ranking.legal.end() ? nullptr : &*found;
}

std::int64_t batchedFrom(const algebras::Layer &layer, std::string_view target, algebras::DataType output) {
  const auto reduces = [&](std::int64_t m) {
    return isReduction(rankSchedules(layer, target, m, output).legal.front().schedule);
  };
  // From many rows down to few, in steps; and then up again, one by one.
  constexpr std::int64_t step = 8;
  std::int64_t m = most_reduction_rows;
  while (m >= step && !reduces(m))
    m -= step;
  for (std::int64_t next = m + step - 1; next > m; --next)
    if (next >= 1 && reduces(next))
      return next + 1;
  return m + 1;
}

} // namespace compiler
