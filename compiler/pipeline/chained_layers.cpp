#include "compiler/pipeline/chained_layers.h"

#include "compiler/lower/match_product.h"
#include "compiler/schedule/cpu_chained_schedule.h"

#include <algorithm>
#include <fmt/format.h>

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

std::optional<std::string> objectionToLayers(func::FuncOp function, const CompileOptions &options) {
  for (const Target target : options.targets)
    if (target != Target::Cpu)
      return fmt::format("the kernels of {} compute one, and all targets of a bundle have the same steps",
                         toString(target));
  FailureOr<MatchedProduct> product = matchProduct(function);
  if (failed(product) || product->layers.size() < 2)
    return std::nullopt; // reported by whoever writes its kernels
  const algebras::Layer &first = product->layers[0].scheduled, &last = product->layers[1].scheduled;
  for (const std::string &name : options.cpu_levels) {
    const CpuLevel level = cpuLevel(name);
    if (usesPairs(last, level) &&
        std::ranges::any_of(last.in.widths(), [](int64_t width) { return width % 2 != 0; }))
      return fmt::format("{} multiplies bf16 in pairs, and what lies between the layers has groups of an odd "
                         "width",
                         level.name);
    const ChainedSchedule schedule =
        chooseChainedSchedule(first, last, level, WeightAccess::Packed, options.rows);
    const double together = chainedCost(first, last, schedule, options.rows).total(),
                 apart = separateCycles(product->layers, level, options.rows);
    if (together > apart)
      return fmt::format(
          "one is predicted to take {:.2f} times as long as a kernel for each layer, for M = {} "
          "on {}",
          together / apart, options.rows, level.name);
  }
  return std::nullopt;
}

} // namespace compiler
