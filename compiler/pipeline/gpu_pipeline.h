// alg -> tile -> sm -> nvvm -> PTX -> cubin. Plain C++ like pipeline.h.
#pragma once

#include "compiler/bundle/kernel_source.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/targets/c/cuda_launcher.h"
#include "runtime/bundle/manifest.h"

#include <string>

namespace compiler {

class BundleParts;

/// One kernel at the stage that the simulator runs and the NVPTX backend translates.
struct GpuProgram {
  /// A module of the nvvm and llvm dialects, and of sm.settle.
  std::string nvvm;
  /// What the manifest will say of it; gpu->images is empty.
  algrt::Kernel kernel;
};

/// The kernel of options.map for options.output, with options.schedule. Throws as emitStage does.
GpuProgram gpuProgram(const KernelSource &source, Target target, const CompileOptions &options);
/// The same of a spec's layer.
GpuProgram gpuProgram(const Spec &spec, Target target, const CompileOptions &options);

/// A kernel as PTX, and as a cubin where there is an assembler.
struct GpuImages {
  algrt::Kernel kernel;
  std::string ptx;
  std::string cubin;              ///< empty without an assembler
  std::string why_no_cubin;       ///< then
  std::vector<std::string> notes; ///< what the user should know although nothing failed
};

/// Throws as emitStage does. An assembler that refuses the program is a Failure.
GpuImages gpuImages(const KernelSource &source, Target target, const CompileOptions &options);

/// As emitStage, for a GPU. Stage::C is two files: see emitLauncher.
std::string emitGpuStage(const KernelSource &source, Target target, Stage stage,
                         const CompileOptions &options);

/// The kernel for options.output inside a launcher in plain C, as a cubin where there is an assembler. `path`
/// says what the two files are called; throws UsageError where it does not end with ".c".
LauncherFiles emitLauncher(const KernelSource &source, Target target, const std::string &path,
                           const CompileOptions &options);

/// Jobs for the kernels of a target: one for each of its maps and types of results. Source and options
/// have to outlive the jobs.
void addGpuJobs(const KernelSource &source, Target target, const CompileOptions &options,
                std::vector<CompileJob> &jobs);

} // namespace compiler
