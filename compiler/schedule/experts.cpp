#include "compiler/schedule/experts.h"

#include "algebras/coarsest.h"
#include "algebras/error.h"
#include "compiler/schedule/layers_choice.h"
#include "compiler/schedule/reduction_schedule.h"

#include <fmt/format.h>

namespace compiler {

std::string whyNoExperts(const algebras::Layer &given, std::string_view target) {
  const TargetEntry &entry = entryOf(targetNamed(target));
  if (!entry.isGpu())
    return "";
  const algebras::Layer layer = algebras::coarsest(given);
  const std::string kernels = fmt::format("on {} kernels of experts are vector reductions, ", target);
  if (layer.dtype != algebras::DataType::BF16)
    return kernels + "of bf16, and they are f32";
  if (layer.lift.isTransposed())
    return kernels + "which compute no gradients";
  if (layer.row_types.kind() == algebras::RowTypes::Kind::Explicit)
    return kernels + "which compute row types from positions, and they are explicit";
  if (!layer.in.isEqual() || !layer.out.isEqual())
    return kernels + "which read groups of one width";
  return "";
}

/// Of all networks, for what one with so many rows needs at least.
template <class OfRows> static Floor floorOfAll(const RowsOfNetworks &networks, OfRows of_rows) {
  return {networks.total([&](int64_t rows) -> double { return of_rows(rows).memory; }),
          networks.total([&](int64_t rows) -> double { return of_rows(rows).tensor; })};
}

static LayersPrediction predictOnGpu(const algebras::Layer &layer, const TargetEntry &target, int64_t m,
                                     int64_t experts, algebras::DataType output) {
  const GpuMachine &machine = *target.machine;
  if (const std::string why = whyNoExperts(layer, target.name); !why.empty())
    throw algebras::InputError(why);
  const auto schedule = chooseReduction(layer, m, output, /*vector=*/0, machine, experts);
  if (!schedule)
    throw algebras::InputError(fmt::format("no schedule of vector reductions is legal on {}", target.name));
  const RowsOfNetworks networks(m, experts);
  const ProjectionWork work = projectionWork(layer, networks.rows, output);
  const Cost cost = ReductionCosts(layer, networks.rows, work, machine, networks.count)(*schedule);
  const Floor floor = floorOfAll(
      networks, [&](int64_t rows) { return floorOf(projectionWork(layer, rows, output), machine); });
  return {std::string(machine.name), toString(*schedule), cost.total(), floor.longest(),
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
