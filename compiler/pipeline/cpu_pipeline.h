// alg -> tile -> vector code -> machine code.
#pragma once

#include "compiler/bundle/assemble.h"
#include "compiler/bundle/kernel_source.h"
#include "compiler/pipeline/pipeline.h"

namespace compiler {

/// As emitStage, for the first CPU level.
std::string emitCpuStage(const KernelSource &source, Stage stage, const CompileOptions &options);

/// A job for the kernels of every CPU level. Source and options have to outlive the jobs.
void addCpuJobs(const KernelSource &source, const CompileOptions &options, std::vector<CompileJob> &jobs);

} // namespace compiler
