// From a module of the LLVM dialect to machine code for a CPU level.
#pragma once

#include "compiler/schedule/cpu_level.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace compiler {

enum class MachineCode { LlvmIr, Assembly, Object };

/// Optimises the module for the level and returns LLVM IR text, assembly text, or the bytes of a relocatable
/// object. Throws Failure when LLVM cannot translate the module.
std::string generateMachineCode(mlir::ModuleOp module, const CpuLevel &level, MachineCode what);

/// Links a relocatable object into a shared object that needs no library. Throws Failure when the linker is
/// missing or refuses.
std::string linkSharedObject(const std::string &object);

/// The path of lld's ELF driver, or empty when there is none.
std::string findLinker();

} // namespace compiler
