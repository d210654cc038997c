#include "compiler/pipeline/chained_layers.h"

#include "algebras/coarsest.h"
#include "compiler/lower/match_product.h"
#include "compiler/schedule/cpu_chained_schedule.h"
#include "compiler/schedule/experts.h"
#include "compiler/schedule/layers_choice.h"
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/schedule/work.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

using namespace mlir;

namespace compiler {

bool hasTwoLayers(func::FuncOp function) {
  return function
      .walk([](alg::ContractOp contract) {
        const bool reads_layer =
            isa_and_nonnull<alg::ContractOp, alg::MapOp>(contract.getLhs().getDefiningOp());
        return reads_layer ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Cycles of a kernel for each layer, with packed weights.
static double separateCycles(const std::vector<MatchedLayer> &layers, const CpuLevel &level, int64_t m) {
  double cycles = 0;
  for (const MatchedLayer &layer : layers)
    cycles += cpuCost(layer.scheduled, chooseCpuSchedule(layer.scheduled, level, WeightAccess::Packed, m), m)
                  .total();
  return cycles;
}

static algebras::DataType typeOfResult(const MatchedLayer &layer) {
  return layer.kernel.epilogue.results.front().element.isF32() ? algebras::DataType::F32
                                                               : algebras::DataType::BF16;
}

/// How much longer networks in steps have taken than the predictions of their kernels add up to, on the
/// median of those that were measured (docs/kernels.md); predictions of one kernel for both were right on
/// average.
static constexpr double steps_over_predicted = 1.15;

/// Microseconds of a GPU's kernel for a layer, `behind` that of another one; of one network without end where
/// its products are too many for one.
static double timeOf(const MatchedLayer &layer, Target of_target, RowsOfCall rows, bool behind) {
  const std::string target = toString(of_target);
  if (rows.experts > 0)
    return predictExperts(layer.scheduled, nullptr, target, rows.count, rows.experts, typeOfResult(layer))
        .predicted_us;
  const Ranking ranking = rankSchedules(layer.scheduled, target, rows.count, typeOfResult(layer));
  if (ranking.legal.empty())
    return std::numeric_limits<double>::infinity();
  const RankedSchedule &best = ranking.legal.front();
  const bool begins_early = behind && !isForThreads(best.schedule);
  return best.predicted() - (begins_early ? entryOf(of_target).machine->early_begin_us : 0.0);
}

/// Microseconds of a GPU's kernel for each layer.
static double separateTime(const std::vector<MatchedLayer> &layers, Target target, RowsOfCall rows) {
  double sum = 0;
  for (const auto &[number, layer] : llvm::enumerate(layers))
    sum += timeOf(layer, target, rows, /*behind=*/number > 0);
  return sum;
}

/// `apart_over_predicted`: what kernels for each layer take, of what is predicted for them.
static std::optional<std::string> longerBy(double together, double apart, const std::vector<int64_t> &rows,
                                           const std::string &where, double apart_over_predicted = 1) {
  if (together <= apart * apart_over_predicted)
    return std::nullopt;
  return fmt::format(
      "one is predicted to take {:.2f} times as long as a kernel for each layer, for M = {} on {}",
      together / apart, fmt::join(rows, ", "), where);
}

static std::optional<std::string> objectionOnCpu(const std::vector<MatchedLayer> &layers,
                                                 const std::string &name, int64_t rows) {
  const algebras::Layer &first = layers[0].scheduled, &last = layers[1].scheduled;
  const CpuLevel level = cpuLevel(name);
  const ChainedSchedule schedule = chooseChainedSchedule(first, last, level, WeightAccess::Packed, rows);
  // With AMX all kernels take longer than predicted, since what they bring from memory is in their way; those
  // that write hidden rows and read them again by a tenth more than a kernel of both layers.
  const double apart_over_predicted = schedule.last.unit == MultiplyUnit::Amx ? 1.1 : 1;
  return longerBy(chainedCost(first, last, level, schedule, rows).total(),
                  separateCycles(layers, level, rows), {rows}, level.name, apart_over_predicted);
}

static std::optional<std::string> objectionOnGpu(const std::vector<MatchedLayer> &layers, Target target,
                                                 const CompileOptions &options) {
  const StagedChainedProblem problem{algebras::coarsest(layers[0].scheduled),
                                     algebras::coarsest(layers[1].scheduled), typeOfResult(layers[1])};
  const std::string name = toString(target);
  if (!options.schedule.empty() && !isOfLayers(options.schedule))
    return fmt::format("the schedule {} is of a kernel of one", options.schedule);
  if (isStagedChained(options.schedule) && options.experts > 0)
    return fmt::format("the schedule {} is not for rows that are divided among experts", options.schedule);
  if (isStagedChained(options.schedule) && options.row_lists)
    return fmt::format("the schedule {} is not for rows at positions of their own", options.schedule);
  // A kernel by hand takes any number of rows.
  if (isChainedReduction(options.schedule)) {
    std::string why = whyNoChainedReduction(problem, name);
    return why.empty() ? std::nullopt : std::optional(std::move(why));
  }
  // Rows at positions of their own are few, or steps.
  for (const int64_t rows : options.allRows()) {
    if (options.row_lists && options.experts == 0 && rows > most_reduction_rows)
      return fmt::format("for {} rows at positions of their own the kernels of {} compute one", rows, name);
    if (std::string why = whyNoKernelOfLayers(problem, name, {rows, options.row_lists, options.experts});
        !why.empty())
      return why;
  }
  if (!options.schedule.empty())
    return std::nullopt; // by hand
  // A bundle has one kernel or steps for all numbers of rows: which takes less for a call of each.
  double together = 0, apart = 0;
  for (const int64_t count : options.allRows()) {
    const RowsOfCall rows{count, options.row_lists, options.experts};
    together += cheapestOfLayers(problem, name, rows)->cost.total();
    apart += separateTime(layers, target, rows);
  }
  return longerBy(together, apart, options.allRows(), name, steps_over_predicted);
}

std::optional<std::string> objectionToLayers(func::FuncOp function, const CompileOptions &options) {
  FailureOr<MatchedProduct> product = matchProduct(function);
  if (failed(product) || product->layers.size() < 2)
    return std::nullopt; // reported by whoever writes its kernels
  for (const Target target : options.targets) {
    std::optional<std::string> objection;
    if (target != Target::Cpu) {
      objection = objectionOnGpu(product->layers, target, options);
    } else {
      for (const std::string &name : options.cpu_levels)
        if (!objection)
          objection =
              objectionOnCpu(product->layers, name, RowsOfNetworks(options.rows, options.experts).rows);
    }
    if (objection && options.targets.size() > 1)
      *objection += ", and all targets of a bundle have the same steps";
    if (objection)
      return objection;
  }
  return std::nullopt;
}

} // namespace compiler
