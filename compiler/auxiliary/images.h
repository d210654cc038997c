// The kernels of a bundle that are no products, as text of a stage and as code: group_rows, which lists rows
// by type, and dbias, the gradient of a bias. Plain C++ like pipeline.h.
#pragma once

#include "compiler/kernel_source.h"
#include "compiler/pipeline.h"

#include <string>
#include <string_view>
#include <vector>

namespace compiler {

/// Whether a "map" of the manifest is one of these kernels.
bool isAuxiliaryMap(std::string_view map);

/// One of them at one of the stages nvvm, llvm, ptx, cubin and sass. Throws as emitGpuStage does, and
/// UsageError for other stages, of which they have none.
std::string emitAuxiliary(std::string_view map, Target target, Stage stage, const CompileOptions &options);

/// The jobs that add to a projection of a bundle what its products need: group_rows where they find rows in
/// lists, dbias where the layer has a bias and a gradient of the weight matrix. The options have to outlive
/// them. Throws algebras::InputError where the layer has more row types than a block of group_rows can count.
std::vector<CompileJob> auxiliaryJobs(const KernelSource &source, Target target,
                                      const CompileOptions &options);

} // namespace compiler
