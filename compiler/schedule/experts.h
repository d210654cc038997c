// Products of many small networks in one call, each with rows and weight matrices of its own.
#pragma once

#include "algebras/layer.h"
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/staged_chained.h"
#include "compiler/schedule/targets.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace compiler {

/// Why a target has no kernel whose rows are divided among experts for one layer, whatever the schedule: the
/// end of a sentence; empty where it has one. A CPU computes one expert after another by any kernel.
std::string whyNoExperts(const algebras::Layer &layer, std::string_view target);

/// The same layer, whose rows a list groups by type.
algebras::Layer withListedRows(algebras::Layer layer);
/// Why the rows of so many experts cannot be found in lists, whatever the schedule: the end of a sentence;
/// empty where they can, and whyNoExperts gives no reason.
std::string whyNoLists(const algebras::Layer &layer, int64_t experts);

/// The schedule of a kernel of one layer whose `m` rows are divided among experts: of vector reductions, or,
/// where each has many rows, of one that finds them in a list, and what it costs.
struct ExpertsSchedule {
  Schedule schedule;
  Cost cost;
  bool isListed() const { return !isReduction(schedule); }
};
/// All schedules of such kernels, for results of type `output`, as rankSchedules of one network: those of
/// vector reductions, and where whyNoLists gives no reason those that find rows in lists. Throws
/// algebras::InputError where whyNoExperts gives a reason, and where no schedule is legal.
Ranking rankForExperts(const algebras::Layer &layer, std::string_view target, int64_t m, int64_t experts,
                       algebras::DataType output);
/// Of a layer whose rows are listed already (withListedRows) those that find rows in lists.
Ranking rankListedForExperts(const algebras::Layer &layer, std::string_view target, int64_t m,
                             int64_t experts, algebras::DataType output);
/// The cheapest. Throws algebras::InputError where whyNoExperts gives a reason.
ExpertsSchedule chooseForExperts(const algebras::Layer &layer, std::string_view target, int64_t m,
                                 int64_t experts, algebras::DataType output);

/// The least that bytes and arithmetic of all experts allow of two layers.
Floor floorOfExperts(const StagedChainedProblem &problem, std::string_view target, int64_t m,
                     int64_t experts);

/// What `m` rows that are divided among experts (work.h) are predicted to take, in one launch on a GPU, and
/// the least that bytes and arithmetic of all experts allow. The prediction is that of experts which all have
/// as many rows as the largest. `next` is the second layer of a kernel of two; null: there is one. Throws
/// algebras::InputError where the target has no such kernel.
LayersPrediction predictExperts(const algebras::Layer &layer, const algebras::Layer *next,
                                std::string_view target, int64_t m, int64_t experts,
                                algebras::DataType output, const CpuMachine &cpu = compiledForMachine());

} // namespace compiler
