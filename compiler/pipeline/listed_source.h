// Kernels that find the rows of each type in a list, of layers and of programs whose rows have types by their
// positions. Plain C++ like pipeline.h.
#pragma once

#include "compiler/bundle/kernel_source.h"
#include "compiler/pipeline/pipeline.h"

namespace compiler {

/// The same source with the types of its rows given one by one, in the operand `types`. Throws as
/// Compilation::check does.
KernelSource withListedRows(const KernelSource &source, const CompileOptions &options);

/// Whether kernels of the source whose `rows` rows are divided among experts find them in a list: where such
/// a kernel is predicted to be faster than vector reductions, or the schedule by hand is one. Throws
/// algebras::InputError for a schedule by hand whose lists cannot be.
bool listsExperts(const KernelSource &source, Target target, int64_t rows, const CompileOptions &options);
/// The source of the kernel for options.rows: the same, or that with listed rows.
KernelSource sourceForRows(const KernelSource &source, Target target, const CompileOptions &options);

} // namespace compiler
