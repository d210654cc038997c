// What becomes of the programs of a spec: the kernels that compute them, and the steps that call these. Plain
// C++ like pipeline.h.
#ifndef ALGCTL_COMPILER_PROGRAM_PLAN_H
#define ALGCTL_COMPILER_PROGRAM_PLAN_H

#include "compiler/bundle/bundle_contents.h"
#include "compiler/kernel_source.h"
#include "compiler/pipeline.h"
#include "runtime/bundle/program.h"

#include <string>
#include <vector>

namespace compiler {

struct ProgramPlan {
  /// Of the products, in their order, each once.
  std::vector<algebras::Algebra> algebras;
  /// Each function that steps call once, also where several programs or steps do.
  std::vector<KernelSource> kernels;
  /// Whose steps name the kernels by their numbers.
  std::vector<algrt::Program> programs;
  /// The programs in the alg dialect, and as calls of their kernels.
  std::string text, fused;
  /// Why operations are not in the kernels of those whose results they read.
  std::vector<std::string> remarks;

  BundleContents contents() const;
};

/// Throws algebras::InputError at the place in the program's file where something is not right or has no
/// kernel, and Failure where it has no place.
ProgramPlan planProgram(const Spec &spec, const CompileOptions &options);

/// The stages alg and fused of a spec's programs. Remarks stand in comments before the latter.
std::string emitProgramStage(const Spec &spec, Stage stage, const CompileOptions &options);

/// The stage fused of a projection.
std::string emitFusedProjection(const KernelSource &source, const CompileOptions &options);

/// The kernel that options.kernel names, which may be left out where there is one alone. Throws UsageError
/// that lists them.
KernelSource programKernel(const Spec &spec, const CompileOptions &options);

} // namespace compiler

#endif
