// The kernel group_rows, which lists rows by type, as text of a stage and as code of a bundle. Plain C++ like
// pipeline.h.
#pragma once

#include "compiler/bundle/kernel_source.h"
#include "compiler/pipeline/pipeline.h"

#include <string>
#include <vector>

namespace compiler {

/// At one of the stages nvvm, llvm, ptx, cubin and sass. Throws as emitGpuStage does, and UsageError for
/// other stages, which it does not have.
std::string emitGroupRows(Target target, Stage stage, const CompileOptions &options);

/// The job that adds it to a projection of a bundle whose products find rows in lists. The options have to
/// outlive it. Throws algebras::InputError where the layer has more row types than a block of it can count.
CompileJob groupRowsJob(const KernelSource &source, Target target, const CompileOptions &options);

} // namespace compiler
