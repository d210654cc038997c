// GPU kernels of two layers for few rows, each perhaps of a type of its own: what can be, what is worth a
// look, and what it would cost.
#pragma once

#include "compiler/schedule/candidates.h"
#include "compiler/schedule/gpu_machine.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/staged_chained.h"
#include "compiler/schedule/work.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace compiler {

/// Why a target has no such kernel of these two layers, whatever the schedule: the end of a sentence, which
/// goes with steps; empty where it has one. The layers have the same terms in the lift by rows, groups of one
/// width, and rows whose types follow from positions.
std::string whyNoChainedReduction(const StagedChainedProblem &problem, std::string_view target);

/// Nothing for a legal schedule on a target; its vector may be left open.
MaybeRefusal refusal(const StagedChainedProblem &problem, const ChainedReductionSchedule &schedule,
                     std::string_view target);
/// With the widest vector that both layers allow, where none is given.
ChainedReductionSchedule completed(const StagedChainedProblem &problem, ChainedReductionSchedule schedule);

/// Columns of a hidden group that one block of a cluster makes: whole pieces of depth, as many as the others.
int64_t shareOfBlock(const algebras::Layer &first, const ChainedReductionSchedule &schedule);
/// Of a block: the sums of both layers' warps, and the block's share of the hidden groups.
int64_t sharedBytes(const StagedChainedProblem &problem, const ChainedReductionSchedule &schedule);

/// Blocks of weight matrices that a part of the result reads one after the other, on average over its output
/// groups, for so many consecutive rows: of each matrix of the first layer, and of the second. A block that
/// not all rows multiply by, each of those reads for itself. `terms` is how many of the rows' terms follow
/// each other, each with hidden groups of its own.
struct ReadBlocks {
  double first = 0, last = 0, terms = 0;
};
ReadBlocks readBlocks(const StagedChainedProblem &problem, int64_t rows);

/// Where the time of `m` rows would go, in microseconds, by the parts of reductionCost: of one network, or
/// divided among experts (work.h).
class ChainedReductionCosts {
public:
  ChainedReductionCosts(const StagedChainedProblem &problem, int64_t m, const GpuMachine &machine,
                        int64_t experts = 0);
  Cost operator()(const ChainedReductionSchedule &schedule);
  /// X, the blocks of both layers' weights that some row uses, and Y once each, and all multiplications,
  /// where all experts have as many rows as the largest.
  Floor floor() const;

private:
  double bytes() const;

  const StagedChainedProblem problem_;
  RowsOfNetworks networks_;
  ProjectionWork first_, last_;
  const GpuMachine &machine_;
  std::map<int64_t, ReadBlocks> reads_; ///< by rows of a part, of which there are no more than the batch has
};

/// All that is legal and worth a look, filled in; of single elements alone with `vector` 1.
std::vector<ChainedReductionSchedule> considerChainedReductions(const StagedChainedProblem &problem,
                                                                std::string_view target, int64_t vector = 0);

/// The cheapest of these for `m` rows, the first one listed among equals, and what it costs; nothing where
/// there are none.
struct ChainedReductionChoice {
  ChainedReductionSchedule schedule;
  Cost cost;
};
std::optional<ChainedReductionChoice> chooseChainedReduction(const StagedChainedProblem &problem,
                                                             std::string_view target, int64_t m,
                                                             int64_t vector = 0, int64_t experts = 0);

} // namespace compiler
