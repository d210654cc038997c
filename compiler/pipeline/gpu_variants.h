// Which kernels for a GPU go into a bundle: one for each schedule that is best somewhere.
#pragma once

#include "compiler/pipeline/pipeline.h"
#include "compiler/schedule/staged_chained.h"
#include "runtime/bundle/gpu_kernel.h"

#include <string>
#include <vector>

namespace compiler {

struct GpuVariant {
  std::string schedule;          ///< empty: whatever the target chooses for options.rows
  algrt::RowRange best_for_rows; ///< {0, 0}: not said
  int64_t among_its_kind = 1;    ///< 1 for the best schedule of its rows, 2 for the next one, ...
  bool operator==(const GpuVariant &other) const;
};

/// The kernels of options.map and one kind of results: first the best for options.rows, the default; then the
/// best for each of options.further_rows; then the next best of each, up to options.variants, as far as they
/// differ. Neighbours among the numbers of rows whose best schedule is the same share a kernel. Where
/// options.schedule and further_schedules are given, and options.map is what they are for, there are these,
/// in their order, the first as the best of its kind. Last come, where these do not take any, kernels for
/// operands at any address: one beside the first of the batched ones, and one of vector reductions beside
/// each such kernel that is the best for its rows. Throws as rankSchedules does.
std::vector<GpuVariant> gpuVariants(const algebras::Layer &layer, Target target, algebras::DataType output,
                                    const CompileOptions &options);

/// The same of kernels of two layers: the best for each number of rows, the next best of each, and beside
/// each one of vector reductions that is the best one for operands at any address.
std::vector<GpuVariant> chainedVariants(const StagedChainedProblem &problem, Target target,
                                        const CompileOptions &options);

} // namespace compiler
