// Which kernel two layers get together on a GPU: one whose operands come in stages, or one of vector
// reductions for few rows.
#pragma once

#include "compiler/schedule/chained_reduction.h"
#include "compiler/schedule/staged_chained.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace compiler {

using LayersSchedule = std::variant<StagedChainedSchedule, ChainedReductionSchedule>;
std::string toString(const LayersSchedule &schedule);
/// Whether a text is read as a schedule of two layers.
inline bool isOfLayers(std::string_view text) { return isStagedChained(text) || isChainedReduction(text); }

/// What kernels are looked at for.
struct RowsOfCall {
  int64_t count;
  bool placed = false; ///< each row has a position of its own: for vector reductions alone
  /// The rows are divided among so many networks, each with weight matrices of its own: for vector reductions
  /// alone. 0: there is one network.
  int64_t experts = 0;

  bool areForReductions() const { return placed || experts > 0; }
};

/// Why a target has no kernel of these two layers for such rows, whatever the schedule: the end of a
/// sentence, which goes with steps; empty where it has one.
std::string whyNoKernelOfLayers(const StagedChainedProblem &problem, std::string_view target,
                                RowsOfCall rows);

struct LayersChoice {
  LayersSchedule schedule;
  Cost cost;
};
/// The cheapest where the target has some.
std::optional<LayersChoice> cheapestOfLayers(const StagedChainedProblem &problem, std::string_view target,
                                             RowsOfCall rows);

/// All that are legal, the cheapest first, among equals as they were listed; empty where the target has none.
std::vector<LayersChoice> rankLayers(const StagedChainedProblem &problem, std::string_view target,
                                     RowsOfCall rows);
/// The best few of these that differ, each from all before it, in more than how deep their pipelines are, or
/// how many slices divide the depth.
std::vector<LayersChoice> bestDifferent(const std::vector<LayersChoice> &ranked, int64_t most);

} // namespace compiler
