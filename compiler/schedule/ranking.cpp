#include "compiler/schedule/ranking.h"

#include "algebras/coarsest.h"
#include "algebras/cost/report.h"
#include "algebras/error.h"
#include "compiler/schedule/cpu_chained_schedule.h"
#include "compiler/schedule/cpu_gradient_schedule.h"
#include "compiler/schedule/cpu_schedule.h"
#include "compiler/schedule/gpu_layer.h"
#include "compiler/schedule/layers_choice.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/staged.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>

namespace compiler {

Ranking rankingOf(std::string target, std::string machine, const Floor &floor) {
  return {std::move(target), std::move(machine), floor.longest(), floor.by(), {}, {}};
}

Ranking sorted(Ranking ranking) {
  std::vector<size_t> order(ranking.legal.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const double us_a = ranking.legal[a].predicted(), us_b = ranking.legal[b].predicted();
    return us_a != us_b ? us_a < us_b : a < b;
  });
  std::vector<RankedSchedule> legal;
  legal.reserve(order.size());
  for (const size_t index : order)
    legal.push_back(std::move(ranking.legal[index]));
  ranking.legal = std::move(legal);
  return ranking;
}

/// Kernels of vector reductions, where the layer is a product's that they can be written for.
static std::vector<Considered<ReductionSchedule>> reductionsFor(const algebras::Layer &layer) {
  const bool explicit_types = layer.row_types.kind() == algebras::RowTypes::Kind::Explicit;
  if (layer.lift.isTransposed() || explicit_types || !layer.in.isEqual() || !layer.out.isEqual())
    return {};
  return considerReductions(layer);
}

/// Kernels whose operands come in stages, by whom the target has to copy.
static std::vector<Considered<StagedSchedule>> stagedFor(const StagedProblem &problem,
                                                         const TargetEntry &target) {
  std::vector<Considered<StagedSchedule>> all;
  const bool engine = target.kernels == Kernels::EngineCopies && copyEngineTakes(problem.layer);
  if (engine)
    all = considerStaged(problem, Copies::Engine);
  // A tile of wgmma has 64 features at least, of which narrow groups of dW fill a part: there threads may be
  // ahead.
  if (!engine || problem.weight_gradient)
    std::ranges::move(considerStaged(problem, Copies::Threads), std::back_inserter(all));
  return all;
}

static Ranking rankGpu(const algebras::Layer &layer, const TargetEntry &target, int64_t m,
                       algebras::DataType output, bool weight_gradient) {
  requireGpuLayer(layer, target.name);
  const GpuMachine &machine = *target.machine;
  const StagedProblem problem(layer, output, weight_gradient);
  const StagedCosts costs(problem, m, machine);
  Ranking ranking = rankingOf(target.name, std::string(machine.name), costs.floor());
  add(ranking, stagedFor(problem, target), costs);
  if (!weight_gradient && m <= most_reduction_rows)
    add(ranking, reductionsFor(layer), ReductionCosts(layer, m, costs.product(), machine));
  return sorted(std::move(ranking));
}

/// What so many bytes and multiplications take all cores.
static Floor floorOfCpu(const algebras::Layer &layer, double bytes, double macs, const CpuMachine &machine) {
  const double cycles_per_us = static_cast<double>(machine.cores) * cpu_core.cycles_per_us;
  const double pairs = usesPairs(layer, machine.level) ? 2 : 1;
  const double of_vectors = cpu_core.multiplications * static_cast<double>(machine.level.lanes) * pairs,
               of_amx = CpuSchedule::amx_rows * CpuSchedule::amx_columns * CpuSchedule::amx_depth /
                        cpu_core.amx_product;
  const double macs_per_cycle = usesAmx(layer, machine.level) ? of_amx : of_vectors;
  return {bytes / (cpu_core.far_bytes * cycles_per_us), macs / (macs_per_cycle * cycles_per_us)};
}

/// Cycles of one core in microseconds of all.
static double microseconds(const CpuMachine &machine) {
  return 1 / (static_cast<double>(machine.cores) * cpu_core.cycles_per_us);
}

/// The bytes of a layer's weights and its multiplications, of all its products.
static std::pair<double, double> weightBytesAndMacs(const algebras::Layer &layer,
                                                    const algebras::cost::CostReport &report) {
  const double weights = static_cast<double>(layer.fused.weights);
  return {weights * static_cast<double>(report.live_weight_bytes),
          weights * static_cast<double>(report.active_macs)};
}

static Ranking rankCpu(const algebras::Layer &layer, int64_t m, const CpuMachine &machine) {
  const algebras::cost::CostReport report = algebras::cost::costReport(layer, m);
  const auto [weight_bytes, macs] = weightBytesAndMacs(layer, report);
  Ranking ranking = rankingOf(
      toString(Target::Cpu), toString(machine),
      floorOfCpu(layer, static_cast<double>(report.activation_bytes) + weight_bytes, macs, machine));
  for (const WeightAccess weights : {WeightAccess::Packed, WeightAccess::Copied, WeightAccess::Direct})
    add(ranking, considerCpu(layer, machine.level, weights), [&](const CpuSchedule &schedule) {
      return cpuCost(layer, schedule, m, machine.cores).scaled(microseconds(machine));
    });
  return sorted(std::move(ranking));
}

static LayersPrediction predictLayersOnCpu(const algebras::Layer &first, const algebras::Layer &last,
                                           int64_t m, const CpuMachine &machine) {
  const algebras::cost::CostReport of_first = algebras::cost::costReport(first, m),
                                   of_last = algebras::cost::costReport(last, m);
  const auto [first_bytes, first_macs] = weightBytesAndMacs(first, of_first);
  const auto [last_bytes, last_macs] = weightBytesAndMacs(last, of_last);
  const double between =
      2 * static_cast<double>(m) * static_cast<double>(first.out.total()) *
      static_cast<double>(byteWidth(first.dtype)); // written and read where there are steps
  const Floor floor = floorOfCpu(last,
                                 static_cast<double>(of_first.activation_bytes + of_last.activation_bytes) -
                                     between + first_bytes + last_bytes,
                                 first_macs + last_macs, machine);
  double least = std::numeric_limits<double>::infinity();
  for (const WeightAccess weights : {WeightAccess::Packed, WeightAccess::Copied, WeightAccess::Direct}) {
    const ChainedSchedule schedule = chooseChainedSchedule(first, last, machine.level, weights, m);
    least = std::min(least, chainedCost(first, last, machine.level, schedule, m, machine.cores).total());
  }
  return {toString(machine), "", least * microseconds(machine), floor.longest(), floor.by()};
}

LayersPrediction predictLayers(const algebras::Layer &given_first, const algebras::Layer &given_last,
                               std::string_view target, int64_t m, algebras::DataType output,
                               const CpuMachine &cpu) {
  const algebras::Layer first = algebras::coarsest(given_first), last = algebras::coarsest(given_last);
  const TargetEntry &entry = entryOf(targetNamed(target));
  if (!entry.isGpu())
    return predictLayersOnCpu(first, last, m, cpu);
  const StagedChainedProblem problem{first, last, output};
  if (const std::string why = whyNoKernelOfLayers(problem, target, {m}); !why.empty())
    throw algebras::InputError("two layers have no kernel together: " + why);
  const LayersChoice choice = *cheapestOfLayers(problem, target, {m});
  const Floor floor = StagedChainedCosts(problem, m, *entry.machine).floor();
  return {std::string(entry.machine->name), toString(choice.schedule), choice.cost.total(), floor.longest(),
          floor.by()};
}

static Ranking rankCpuWeightGradient(const algebras::Layer &layer, int64_t m, const CpuMachine &machine) {
  const algebras::cost::CostReport report = algebras::cost::costReport(layer, m);
  // dW is written whole, whatever the rows reach.
  const int64_t columns =
      layer.out.total() / (layer.lift.kind() == algebras::Lift::Kind::Rows ? 1 : layer.out.count());
  const double bytes = static_cast<double>(report.activation_bytes) +
                       static_cast<double>(layer.in.total()) * static_cast<double>(columns) *
                           static_cast<double>(byteWidth(layer.dtype));
  Ranking ranking = rankingOf(toString(Target::Cpu), toString(machine),
                              floorOfCpu(layer, bytes, static_cast<double>(report.active_macs), machine));
  add(ranking, considerCpuGradient(layer, machine.level), [&](const CpuGradientSchedule &schedule) {
    return cpuGradientCost(layer, schedule, m, machine.cores).scaled(microseconds(machine));
  });
  return sorted(std::move(ranking));
}

Ranking rankSchedules(const algebras::Layer &layer, std::string_view target, int64_t m,
                      algebras::DataType output, const CpuMachine &cpu) {
  const algebras::Layer coarse = algebras::coarsest(layer);
  const TargetEntry &entry = entryOf(targetNamed(target));
  return entry.isGpu() ? rankGpu(coarse, entry, m, output, /*weight_gradient=*/false)
                       : rankCpu(coarse, m, cpu);
}

Ranking rankWeightGradient(const algebras::Layer &layer, std::string_view target, int64_t m,
                           algebras::DataType output, const CpuMachine &cpu) {
  const algebras::Layer coarse = algebras::coarsest(layer);
  const TargetEntry &entry = entryOf(targetNamed(target));
  return entry.isGpu() ? rankGpu(coarse, entry, m, output, /*weight_gradient=*/true)
                       : rankCpuWeightGradient(coarse, m, cpu);
}

Ranking rankMap(const algebras::Layer &layer, algrt::Map map, std::string_view target, int64_t m,
                algebras::DataType output, const CpuMachine &cpu) {
  if (map == algrt::Map::Dw)
    return rankWeightGradient(layer, target, m, output, cpu);
  return rankSchedules(map == algrt::Map::Dx ? layer.transposed() : layer, target, m, output, cpu);
}

namespace {
/// What two kernels have to differ in to be worth trying both.
struct TileShape {
  int64_t rows, columns, depth, types = 1;
  bool holds_rows = false;
};
} // namespace

static TileShape tileOf(const StagedSchedule &schedule) {
  return {schedule.rows, schedule.columns, schedule.depth, schedule.types, schedule.stationary_groups > 0};
}
static TileShape tileOf(const ReductionSchedule &schedule) {
  return {schedule.rows, schedule.columns, schedule.slices * reduction_depth};
}
static TileShape tileOf(const CpuSchedule &schedule) { return {schedule.rows, schedule.register_columns, 1}; }
static TileShape tileOf(const CpuGradientSchedule &schedule) {
  return {schedule.features, schedule.columns, schedule.rows};
}

static bool differ(const Schedule &one, const Schedule &other) {
  const auto shape = [](const auto &kind) { return tileOf(kind); };
  const TileShape a = std::visit(shape, one), b = std::visit(shape, other);
  if (a.rows != b.rows || a.types != b.types || a.holds_rows != b.holds_rows)
    return true;
  const int64_t apart = std::abs(a.columns - b.columns);
  return 4 * apart >= std::min(a.columns, b.columns) || (apart > 0 && a.depth != b.depth);
}

std::vector<RankedSchedule> bestDifferent(const Ranking &ranking, int64_t most) {
  std::vector<RankedSchedule> best;
  for (const RankedSchedule &candidate : ranking.legal) {
    if (static_cast<int64_t>(best.size()) >= most)
      break;
    if (std::all_of(best.begin(), best.end(),
                    [&](const RankedSchedule &one) { return differ(one.schedule, candidate.schedule); }))
      best.push_back(candidate);
  }
  return best;
}

const RankedSchedule &bestOf(const Ranking &ranking, const algebras::Layer &layer) {
  if (!ranking.legal.empty())
    return ranking.legal.front();
  const std::string reason = ranking.refused.empty() ? "" : ": " + ranking.refused.back().refusal.reason;
  throw noSchedule(layer, fmt::format("no schedule is legal on {}{}", ranking.target, reason));
}

const RankedSchedule *bestReduction(const Ranking &ranking) {
  const auto found = std::find_if(ranking.legal.begin(), ranking.legal.end(),
                                  [](const RankedSchedule &one) { return isReduction(one.schedule); });
  return found == ranking.legal.end() ? nullptr : &*found;
}

int64_t batchedFrom(const algebras::Layer &given, std::string_view target, algebras::DataType output) {
  const algebras::Layer layer = algebras::coarsest(given);
  const TargetEntry &entry = entryOf(targetNamed(target));
  requireGpuLayer(layer, entry.name);
  const StagedProblem problem(layer, output);
  // What is looked at does not depend on the rows.
  const std::vector<Considered<StagedSchedule>> staged = stagedFor(problem, entry);
  const std::vector<Considered<ReductionSchedule>> reductions = reductionsFor(layer);
  const auto reduces = [&](int64_t m) {
    const StagedCosts costs(problem, m, *entry.machine);
    ReductionCosts reduction_costs(layer, m, costs.product(), *entry.machine);
    const ReductionSchedule *reduction = cheapest(reductions, std::ref(reduction_costs));
    const StagedSchedule *batched = cheapest(staged, costs);
    return reduction && (!batched || reduction_costs(*reduction).total() < costs(*batched).total());
  };
  // From many rows down to few, in steps; and then up again, one by one.
  constexpr int64_t step = 8;
  int64_t m = most_reduction_rows;
  while (m >= step && !reduces(m))
    m -= step;
  for (int64_t next = m + step - 1; next > m; --next)
    if (next >= 1 && reduces(next))
      return next + 1;
  return m + 1;
}

} // namespace compiler
