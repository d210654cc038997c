#include "compiler/schedule/experts.h"

#include "algebras/coarsest.h"
#include "algebras/error.h"
#include "compiler/schedule/layers_choice.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/staged.h"
#include "runtime/bundle/gpu_kernel.h"

#include <fmt/format.h>
#include <utility>

namespace compiler {

std::string whyNoExperts(const algebras::Layer &given, std::string_view target) {
  const TargetEntry &entry = entryOf(targetNamed(target));
  if (!entry.isGpu())
    return "";
  const algebras::Layer layer = algebras::coarsest(given);
  const std::string kernels = fmt::format("on {} kernels of experts ", target);
  if (layer.dtype != algebras::DataType::BF16)
    return kernels + "multiply bf16, and these are f32";
  if (layer.lift.isTransposed())
    return kernels + "compute no gradients";
  if (layer.row_types.kind() == algebras::RowTypes::Kind::Explicit)
    return kernels + "find row types by positions, and they are explicit";
  if (!layer.in.isEqual() || !layer.out.isEqual())
    return kernels + "read groups of one width";
  return "";
}

/// Of all networks, for what one with so many rows needs at least.
template <class OfRows> static Floor floorOfAll(const RowsOfNetworks &networks, OfRows of_rows) {
  return {networks.total([&](int64_t rows) -> double { return of_rows(rows).memory; }),
          networks.total([&](int64_t rows) -> double { return of_rows(rows).tensor; })};
}

algebras::Layer withListedRows(algebras::Layer layer) {
  layer.row_types = algebras::RowTypes::explicitTypes(layer.row_types.count());
  return layer;
}

std::string whyNoLists(const algebras::Layer &layer, int64_t experts) {
  if (layer.lift.kind() != algebras::Lift::Kind::Rows)
    return "in the slot lift rows have no types to be listed by";
  const int64_t types = layer.row_types.count(), most = algrt::mostListedTypes(group_rows_threads) / types;
  return experts <= most ? ""
                         : fmt::format("a GPU lists rows of {} types of at most {} experts, and there are {}",
                                       types, most, experts);
}

/// Of kernels that find rows in lists.
static void addListed(Ranking &ranking, const algebras::Layer &listed, int64_t m, int64_t experts,
                      algebras::DataType output, const GpuMachine &machine) {
  const StagedProblem problem(listed, output, /*weight_gradient=*/false, experts);
  auto considered = considerStaged(problem, Copies::Threads);
  std::erase_if(considered, [&](const Considered<StagedSchedule> &one) {
    return !one.refusal && !numbersTiles(problem, m, one.schedule);
  });
  add(ranking, std::move(considered), StagedCosts(problem, m, machine));
}

static void addReductions(Ranking &ranking, const algebras::Layer &layer, int64_t m, int64_t experts,
                          algebras::DataType output, const GpuMachine &machine) {
  const RowsOfNetworks networks(m, experts);
  const ProjectionWork work = projectionWork(layer, networks.rows, output);
  add(ranking, considerReductions(layer),
      ReductionCosts(layer, networks.rows, work, machine, networks.count));
}

static Ranking emptyRanking(const algebras::Layer &layer, const TargetEntry &target, int64_t m,
                            int64_t experts, algebras::DataType output) {
  const Floor floor = floorOfAll(RowsOfNetworks(m, experts), [&](int64_t rows) {
    return floorOf(projectionWork(layer, rows, output), *target.machine);
  });
  return rankingOf(std::string(target.name), std::string(target.machine->name), floor);
}

static Ranking someLegal(Ranking ranking) {
  if (ranking.legal.empty())
    throw algebras::InputError(
        fmt::format("no schedule of kernels of experts is legal on {}", ranking.target));
  return sorted(std::move(ranking));
}

Ranking rankForExperts(const algebras::Layer &given, std::string_view target, int64_t m, int64_t experts,
                       algebras::DataType output) {
  if (const std::string why = whyNoExperts(given, target); !why.empty())
    throw algebras::InputError(why);
  const algebras::Layer layer = algebras::coarsest(given);
  const TargetEntry &entry = entryOf(targetNamed(target));
  Ranking ranking = emptyRanking(layer, entry, m, experts, output);
  addReductions(ranking, layer, m, experts, output, *entry.machine);
  if (whyNoLists(given, experts).empty())
    addListed(ranking, withListedRows(layer), m, experts, output, *entry.machine);
  return someLegal(std::move(ranking));
}

Ranking rankListedForExperts(const algebras::Layer &given, std::string_view target, int64_t m,
                             int64_t experts, algebras::DataType output) {
  const algebras::Layer layer = algebras::coarsest(given);
  const TargetEntry &entry = entryOf(targetNamed(target));
  Ranking ranking = emptyRanking(layer, entry, m, experts, output);
  addListed(ranking, layer, m, experts, output, *entry.machine);
  return someLegal(std::move(ranking));
}

ExpertsSchedule chooseForExperts(const algebras::Layer &layer, std::string_view target, int64_t m,
                                 int64_t experts, algebras::DataType output) {
  const RankedSchedule best = bestOf(rankForExperts(layer, target, m, experts, output), layer);
  return {best.schedule, best.cost};
}

static LayersPrediction predictOnGpu(const algebras::Layer &layer, const TargetEntry &target, int64_t m,
                                     int64_t experts, algebras::DataType output) {
  const Ranking ranking = rankForExperts(layer, target.name, m, experts, output);
  const RankedSchedule &best = bestOf(ranking, layer);
  return {ranking.machine,  toString(best.schedule), best.predicted(),
          ranking.floor_us, ranking.floor_by,        best.cost["grouping"]};
}

Floor floorOfExperts(const StagedChainedProblem &problem, std::string_view target, int64_t m,
                     int64_t experts) {
  const GpuMachine &machine = *entryOf(targetNamed(target)).machine;
  return floorOfAll(RowsOfNetworks(m, experts),
                    [&](int64_t rows) { return ChainedReductionCosts(problem, rows, machine).floor(); });
}

static LayersPrediction predictLayersOnGpu(const StagedChainedProblem &problem, const TargetEntry &target,
                                           int64_t m, int64_t experts) {
  const RowsOfCall rows{m, /*placed=*/true, experts};
  if (const std::string why = whyNoKernelOfLayers(problem, target.name, rows); !why.empty())
    throw algebras::InputError("two layers have no kernel together: " + why);
  const LayersChoice choice = *cheapestOfLayers(problem, target.name, rows);
  const Floor floor = floorOfExperts(problem, target.name, m, experts);
  return {std::string(target.machine->name), toString(choice.schedule), choice.cost.total(), floor.longest(),
          floor.by()};
}

LayersPrediction predictExperts(const algebras::Layer &given, const algebras::Layer *next,
                                std::string_view target, int64_t m, int64_t experts,
                                algebras::DataType output, const CpuMachine &cpu) {
  const TargetEntry &entry = entryOf(targetNamed(target));
  if (entry.isGpu()) {
    const algebras::Layer layer = algebras::coarsest(given);
    if (!next)
      return predictOnGpu(layer, entry, m, experts, output);
    return predictLayersOnGpu({layer, algebras::coarsest(*next), output}, entry, m, experts);
  }
  const RowsOfNetworks networks(m, experts);
  auto of_rows = [&](int64_t rows) -> LayersPrediction {
    if (next)
      return predictLayers(given, *next, target, rows, output, cpu);
    const Ranking ranking = rankSchedules(given, target, rows, output, cpu);
    return {ranking.machine, "", bestOf(ranking, given).predicted(), ranking.floor_us, ranking.floor_by};
  };
  LayersPrediction all = of_rows(networks.rows);
  all.predicted_us *= static_cast<double>(networks.count);
  all.floor_us = networks.total([&](int64_t rows) -> double { return of_rows(rows).floor_us; });
  return all;
}

} // namespace compiler
