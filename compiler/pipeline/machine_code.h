// The last step of every pipeline, from a lowered module to code, with what the cache remembers of it.
#pragma once

#include "compiler/cache/compilation_cache.h"
#include "compiler/schedule/cpu_level.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace compiler {

/// Code, and what is to be said of it.
struct GpuCode {
  KernelCode code;
  std::string why_no_cubin;       ///< where there is no assembler
  std::vector<std::string> notes; ///< what the user should know although nothing failed
};

/// PTX, and a cubin where there is an assembler, of the kernel `symbol` of a module in the nvvm and llvm
/// dialects. `cache` may be null. Throws as generatePtx and assemble do, except where the assembler is
/// absent.
GpuCode gpuCode(mlir::ModuleOp program, const std::string &architecture, const std::string &symbol,
                const CompilationCache *cache);

/// The shared object of a module in the llvm dialect, for a CPU level. `cache` may be null. Throws as
/// generateMachineCode and linkSharedObject do.
std::string cpuCode(mlir::ModuleOp program, const CpuLevel &level, const CompilationCache *cache,
                    std::vector<std::string> &notes);

} // namespace compiler
