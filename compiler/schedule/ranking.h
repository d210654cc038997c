// Schedules side by side: what each would cost and where its time would go, and why others cannot be. One
// form for all targets.
#pragma once

#include "algebras/layer.h"
#include "compiler/schedule/candidates.h"
#include "compiler/schedule/cost.h"
#include "compiler/schedule/host_level.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/targets.h"
#include "runtime/bundle/map.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace compiler {

struct RankedSchedule {
  Schedule schedule;
  Cost cost; ///< in microseconds

  double predicted() const { return cost.total(); }
};

/// One that was considered and left out.
struct RefusedSchedule {
  Schedule schedule;
  Refusal refusal;
};

struct Ranking {
  std::string target;
  std::string machine;               ///< what the microseconds are of
  double floor_us;                   ///< least time that bytes and arithmetic allow there
  std::string floor_by;              ///< "memory" or "arithmetic"
  std::vector<RankedSchedule> legal; ///< cheapest first; among equals as they were listed
  std::vector<RefusedSchedule> refused;
};

/// Behind what a ranking has, in the order in which it was considered.
template <class Kind, class CostOf>
void add(Ranking &ranking, std::vector<Considered<Kind>> considered, CostOf cost_of) {
  for (Considered<Kind> &one : considered)
    if (one.refusal)
      ranking.refused.push_back({one.schedule, std::move(*one.refusal)});
    else
      ranking.legal.push_back({one.schedule, cost_of(one.schedule)});
}

/// The cheapest first; among equals as they were listed.
Ranking sorted(Ranking ranking);
/// One without schedules yet.
Ranking rankingOf(std::string target, std::string machine, const Floor &floor);

/// Ranks the schedules of a target, one of targetNames(), for `m` rows and results of type `output`; those
/// of the CPU on the cores of `cpu`. Throws algebras::InputError for a layer that the target has no kernels
/// for.
Ranking rankSchedules(const algebras::Layer &layer, std::string_view target, int64_t m,
                      algebras::DataType output, const CpuMachine &cpu = compiledForMachine());

/// The same for the gradient of the layer's weight matrix, with dW of type `output`, on the CPU of the
/// layer's. On sm_90a kernels whose threads copy are ranked beside those whose blocks the copy engine moves.
Ranking rankWeightGradient(const algebras::Layer &layer, std::string_view target, int64_t m,
                           algebras::DataType output, const CpuMachine &cpu = compiledForMachine());

/// One of the three maps of a layer: its product, the gradient of X, which is the product of the transposed
/// layer, or that of the weight matrix.
Ranking rankMap(const algebras::Layer &layer, algrt::Map map, std::string_view target, int64_t m,
                algebras::DataType output, const CpuMachine &cpu = compiledForMachine());

/// What a kernel of two layers is predicted to take, the second of which reads what the first leaves, and the
/// least that bytes and arithmetic allow: X, the weights of both layers and Y, each once. Throws
/// algebras::InputError where the target has no such kernel.
struct LayersPrediction {
  std::string machine;
  std::string schedule; ///< of a GPU's
  double predicted_us, floor_us;
  std::string floor_by;
  double grouping_us = 0; ///< of what is predicted: making a list of rows by type
};
LayersPrediction predictLayers(const algebras::Layer &first, const algebras::Layer &last,
                               std::string_view target, int64_t m, algebras::DataType output,
                               const CpuMachine &cpu = compiledForMachine());

/// The best few of a ranking that differ: each next one is the cheapest whose tile has other rows or types
/// than those chosen before, or holds rows where those do not, or fewer or more columns by at least a
/// quarter, or another depth and other columns.
std::vector<RankedSchedule> bestDifferent(const Ranking &ranking, int64_t most);

/// The cheapest of a layer. Throws algebras::InputError where none is legal, with the reason of the one that
/// was refused last: the candidates become smaller.
const RankedSchedule &bestOf(const Ranking &ranking, const algebras::Layer &layer);

/// The cheapest of the ranking that is one of vector reductions, or null.
const RankedSchedule *bestReduction(const Ranking &ranking);

/// From how many rows on batched kernels are ahead of vector reductions in the product of a layer on a GPU,
/// as predicted: 1 where they always are.
int64_t batchedFrom(const algebras::Layer &layer, std::string_view target, algebras::DataType output);

} // namespace compiler
