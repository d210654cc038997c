// The kernel that lists rows by type, as text of a stage and as code of a bundle. Plain C++ like pipeline.h.
#ifndef ALGCTL_COMPILER_ROW_LIST_IMAGES_H
#define ALGCTL_COMPILER_ROW_LIST_IMAGES_H

#include "compiler/pipeline.h"

#include <string>
#include <vector>

namespace compiler {

/// The kernel at one of the stages nvvm, llvm, ptx, cubin and sass. Throws as emitGpuStage does, and
/// UsageError for other stages, of which it has none.
std::string emitGroupRows(Target target, Stage stage, const CompileOptions &options);

/// Whether products of a bundle of the layer find rows in lists, which the kernel has to make.
bool needsGroupRows(const algebras::Layer &layer, const CompileOptions &options);

/// The job that adds the kernel to a bundle of the layer. The options have to outlive it. Throws
/// algebras::InputError where the layer has more row types than a block of the kernel can count.
CompileJob groupRowsJob(const algebras::Layer &layer, Target target, const CompileOptions &options);

} // namespace compiler

#endif
