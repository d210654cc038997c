// GPU kernels of two layers, the second of which multiplies what the first leaves: what the machine allows,
// what is worth a look, and what it would cost.
#pragma once

#include "algebras/layer.h"
#include "compiler/schedule/candidates.h"
#include "compiler/schedule/gpu_machine.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/work.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace compiler {

/// Two layers and the type of the second one's result.
struct StagedChainedProblem {
  StagedChainedProblem(algebras::Layer first_layer, algebras::Layer last_layer, algebras::DataType output)
      : first(std::move(first_layer)), last(std::move(last_layer)), output(output),
        most_terms(mostTermsOf(last.lift)) {}

  algebras::Layer first, last;
  algebras::DataType output;
  /// Of a type and an output group of the last layer: hidden groups that a block of few rows has to keep.
  int64_t most_terms;

private:
  static int64_t mostTermsOf(const algebras::Lift &lift);
};

/// Why a target has no kernel of these two layers, whatever the schedule: the end of a sentence, which goes
/// with steps; empty where it has one. Only the copy engine's kernels have two layers, for products of a
/// graph whose groups tensor maps address.
std::string whyNotChained(const StagedChainedProblem &problem, std::string_view target);

/// Nothing for a legal schedule; its stages may be left open.
MaybeRefusal refusal(const StagedChainedProblem &problem, const StagedChainedSchedule &schedule);
/// Columns of a tile: all of an output group, and what is missing to whole panels.
int64_t tileColumns(const algebras::Layer &last);
/// With the stages that fit.
StagedChainedSchedule completed(const StagedChainedProblem &problem, StagedChainedSchedule schedule);

/// Where the time of `m` rows would go, in microseconds, by the parts of engineCost. Beside products the
/// warpgroups map what is hidden: while one does, others multiply.
class StagedChainedCosts {
public:
  StagedChainedCosts(const StagedChainedProblem &problem, int64_t m, const GpuMachine &machine);
  Cost operator()(const StagedChainedSchedule &schedule) const;
  /// X, the weights of both layers and Y once each, and all multiplications.
  Floor floor() const;

private:
  /// Of memory alone, where a type has so many blocks of rows.
  double memoryTime(const StagedChainedSchedule &schedule, double row_blocks) const;

  ProjectionWork first_, last_;
  algebras::DataType output_;
  double map_cycles_;
  double edges_of_type_; ///< to other groups, of each type on average
  const GpuMachine &machine_;
};

/// All that is legal and worth a look, filled in.
std::vector<StagedChainedSchedule> considerStagedChained(const StagedChainedProblem &problem);
/// The same for `m` rows: where they are few, two warpgroups do not take chunks in turn. What is predicted
/// then is less than a microsecond apart, and leaves out that the first blocks of a kernel have to come.
std::vector<StagedChainedSchedule> considerStagedChained(const StagedChainedProblem &problem, int64_t m);

} // namespace compiler
