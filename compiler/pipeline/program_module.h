// The programs of a spec as a module of the alg dialect.
#pragma once

#include "compiler/pipeline/compilation.h"
#include "compiler/pipeline/pipeline.h"

namespace compiler {

/// The file of a spec's programs, for a Compilation; null where nobody wrote one.
std::shared_ptr<const ProgramFile> originOf(const Spec &spec);

/// The programs that options.program_maps asks for: those of the spec, and of each the one that takes the
/// gradients of its results to those of its tensors of floats, `backward` of `forward`, `NAME_backward` of
/// any other, and where gradients take what was kept NAME_keeping. Values that are returned are called as the
/// program's outputs, and nothing else is. Throws as Compilation::check does.
mlir::OwningOpRef<mlir::ModuleOp> buildPrograms(Compilation &compilation, const Spec &spec,
                                                const ProgramMaps &maps);

/// What the program is called that returns what the gradient of `program` takes, too.
std::string keepingName(llvm::StringRef program);

} // namespace compiler
