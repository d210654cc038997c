// Kernels that find the rows of each type in a list, of layers and of programs whose rows have types by their
// positions. Plain C++ like pipeline.h.
#pragma once

#include "compiler/bundle/kernel_source.h"
#include "compiler/pipeline/pipeline.h"

namespace compiler {

/// The same source with the types of its rows given one by one, in the operand `types`. Throws as
/// Compilation::check does.
KernelSource withListedRows(const KernelSource &source, const CompileOptions &options);

} // namespace compiler
