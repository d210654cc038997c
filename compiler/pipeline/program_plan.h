// What becomes of the programs of a spec: the kernels that compute them, and the steps that call these. Plain
// C++ like pipeline.h.
#pragma once

#include "compiler/bundle/bundle_contents.h"
#include "compiler/bundle/kernel_source.h"
#include "compiler/pipeline/pipeline.h"
#include "runtime/bundle/elementwise.h"
#include "runtime/bundle/program.h"

#include <memory>
#include <string>
#include <vector>

namespace compiler {

struct ElementwiseFunction; // compiler/lower/elementwise_function.h

/// A function without a product that steps call.
struct ElementwiseSource {
  algrt::Elementwise description; ///< without kernels
  std::shared_ptr<const ElementwiseFunction> compiled_from;
  /// The function in the alg dialect, and what its arguments and results are to its kernels, as in
  /// KernelSource.
  std::string function;
  std::vector<std::vector<std::string>> operands;
  std::vector<std::string> result_operands;
};

struct ProgramPlan {
  /// Of the products, in their order, each once.
  std::vector<algebras::Algebra> algebras;
  /// Each function that steps call once, also where several programs or steps do.
  std::vector<KernelSource> kernels;
  std::vector<ElementwiseSource> elementwise;
  /// Whose steps name the kernels by their numbers.
  std::vector<algrt::Program> programs;
  /// The programs in the alg dialect, and as calls of their kernels.
  std::string text, fused;
  /// Why operations are not in the kernels of those whose results they read.
  std::vector<std::string> remarks;

  BundleContents contents() const;
  /// The function of the stage fused that a step calls.
  const std::string &functionOf(const algrt::ProgramStep &step) const {
    return step.elementwise ? elementwise[*step.elementwise].description.name
                            : kernels[step.projection].projection;
  }
};

/// Throws algebras::InputError at the place in the program's file where something is not right or has no
/// kernel, and Failure where it has no place.
ProgramPlan planProgram(const Spec &spec, const CompileOptions &options);

/// What algrt_dw calls besides the kernels of a projection: where the layer has a bias and there is a
/// gradient of the weight matrix, for each type of dbias the function that sums dy over the rows, and adds to
/// what dbias held.
std::vector<ElementwiseSource> projectionFunctions(const KernelSource &source, const CompileOptions &options);

/// The stages alg and fused of a spec's programs. Remarks stand in comments before the latter.
std::string emitProgramStage(const Spec &spec, Stage stage, const CompileOptions &options);

/// The stage fused of a projection.
std::string emitFusedProjection(const KernelSource &source, const CompileOptions &options);

/// The step that calls the function options.kernel, which may be left out where there is one alone. Throws
/// UsageError that lists them.
algrt::ProgramStep stepToShow(const ProgramPlan &plan, const Spec &spec, const CompileOptions &options);

} // namespace compiler
