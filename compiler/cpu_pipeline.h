// alg -> tile -> vector code -> machine code.
#ifndef ALGCTL_COMPILER_CPU_PIPELINE_H
#define ALGCTL_COMPILER_CPU_PIPELINE_H

#include "compiler/bundle/assemble.h"
#include "compiler/pipeline.h"

namespace compiler {

/// As emitStage, for the first CPU level.
std::string emitCpuStage(const Spec &spec, Stage stage, const CompileOptions &options);

/// Compiles the kernels of every CPU level into a bundle.
void compileForCpu(const Spec &spec, const CompileOptions &options, BundleParts &parts);

} // namespace compiler

#endif
