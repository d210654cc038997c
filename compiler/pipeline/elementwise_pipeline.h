// Element-wise functions from their kernel to machine code, for every target.
#pragma once

#include "compiler/lower/elementwise_function.h"
#include "compiler/pipeline/pipeline.h"
#include "runtime/bundle/writer.h"

#include <string>
#include <vector>

namespace compiler {

/// Code of such a function for one target, and how the manifest describes it.
struct ElementwiseCode {
  algrt::ElementwiseKernel kernel; ///< sections of images are those that elementwiseSections names
  std::string shared_object;       ///< of the CPU
  std::string ptx, cubin;          ///< of a GPU; without an assembler there is no cubin
  std::vector<std::string> notes;  ///< what the user should know although nothing failed
};

/// Shares nothing that it changes with another call. Throws Failure with what was wrong with the function,
/// AbsentError for what this machine lacks, algebras::InputError for a level that it does not have.
ElementwiseCode compileElementwiseForCpu(const ElementwiseFunction &function, const std::string &level,
                                         const CompileOptions &options);

/// The same for a GPU.
ElementwiseCode compileElementwiseForGpu(const ElementwiseFunction &function, Target target,
                                         const CompileOptions &options);

/// What the simulator runs: the kernel, without images, and its module in the llvm and nvvm dialects.
struct GpuElementwiseProgram {
  algrt::ElementwiseKernel kernel;
  std::string nvvm;
};
GpuElementwiseProgram gpuElementwiseProgram(const ElementwiseFunction &function, Target target,
                                            const CompileOptions &options);

/// The function's kernel at a stage of a target: tile, vector, llvm, asm or obj of the CPU, tile, nvvm, llvm,
/// ptx, cubin or sass of a GPU. Throws as above, and UsageError for a stage that it does not have.
std::string emitElementwise(const ElementwiseFunction &function, Target target, Stage stage,
                            const CompileOptions &options);

/// What the bundle holds of the code.
std::vector<algrt::SectionContent> elementwiseSections(const ElementwiseCode &code);

} // namespace compiler
