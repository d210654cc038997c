#include "compiler/schedule/experts.h"

#include "algebras/coarsest.h"
#include "algebras/error.h"
#include "compiler/schedule/layers_choice.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/staged.h"
#include "runtime/bundle/gpu_kernel.h"

#include <fmt/format.h>

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

ExpertsSchedule chooseForExperts(const algebras::Layer &given, std::string_view target, int64_t m,
                                 int64_t experts, algebras::DataType output) {
  if (const std::string why = whyNoExperts(given, target); !why.empty())
    throw algebras::InputError(why);
  const algebras::Layer layer = algebras::coarsest(given);
  const GpuMachine &machine = *entryOf(targetNamed(target)).machine;
  const auto reduction = chooseReduction(layer, m, output, /*vector=*/0, machine, experts);
  if (!reduction)
    throw algebras::InputError(fmt::format("no schedule of vector reductions is legal on {}", target));
  const RowsOfNetworks networks(m, experts);
  const ProjectionWork work = projectionWork(layer, networks.rows, output);
  ExpertsSchedule best{*reduction,
                       ReductionCosts(layer, networks.rows, work, machine, networks.count)(*reduction)};
  if (!whyNoLists(given, experts).empty())
    return best;
  const algebras::Layer listed = withListedRows(layer);
  const StagedProblem problem(listed, output, /*weight_gradient=*/false, experts);
  const StagedSchedule staged = chooseStaged(problem, Copies::Threads, m, machine);
  if (Cost cost = StagedCosts(problem, m, machine)(staged);
      numbersTiles(problem, m, staged) && cost.total() < best.cost.total())
    best = {staged, std::move(cost)};
  return best;
}

static LayersPrediction predictOnGpu(const algebras::Layer &layer, const TargetEntry &target, int64_t m,
                                     int64_t experts, algebras::DataType output) {
  const GpuMachine &machine = *target.machine;
  const ExpertsSchedule best = chooseForExperts(layer, target.name, m, experts, output);
  const Floor floor = floorOfAll(RowsOfNetworks(m, experts), [&](int64_t rows) {
    return floorOf(projectionWork(layer, rows, output), machine);
  });
  return {std::string(machine.name), toString(best.schedule), best.cost.total(), floor.longest(),
          floor.memory >= floor.tensor ? "memory" : "arithmetic"};
}

static LayersPrediction predictLayersOnGpu(const StagedChainedProblem &problem, const TargetEntry &target,
                                           int64_t m, int64_t experts) {
  const RowsOfCall rows{m, /*placed=*/true, experts};
  if (const std::string why = whyNoKernelOfLayers(problem, target.name, rows); !why.empty())
    throw algebras::InputError("two layers have no kernel together: " + why);
  const LayersChoice choice = *cheapestOfLayers(problem, target.name, rows);
  const Floor floor = floorOfAll(RowsOfNetworks(m, experts), [&](int64_t rows) {
    return ChainedReductionCosts(problem, rows, *target.machine).floor();
  });
  return {std::string(target.machine->name), toString(choice.schedule), choice.cost.total(), floor.longest(),
          floor.memory >= floor.tensor ? "memory" : "arithmetic"};
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
    if (ranking.legal.empty())
      throw algebras::InputError(fmt::format("no schedule is legal on {}", target));
    return {ranking.machine, "", ranking.legal.front().predicted(), ranking.floor_us, ranking.floor_by};
  };
  LayersPrediction all = of_rows(networks.rows);
  all.predicted_us *= static_cast<double>(networks.count);
  all.floor_us = networks.total([&](int64_t rows) -> double { return of_rows(rows).floor_us; });
  return all;
}

} // namespace compiler
