// Counting what the optimiser must neither copy nor drop: convergent instructions, and those that act on
// memory behind LLVM's back.
#pragma once

#include "compiler/targets/nvidia/ptx.h"

namespace llvm {
class Module;
}

namespace compiler {

/// Calls of NVVM intrinsics that read or write memory or are convergent, by name; calls of inline assembly by
/// the name of their instruction, "settle" where they have none.
InstructionCounts countInstructions(const llvm::Module &module);

/// Calls of inline assembly that are not marked convergent.
int64_t countUnmarkedAssembly(const llvm::Module &module);

} // namespace compiler
