// AMX in software, so that kernels for it run, and are looked at, on machines that do not have it.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace compiler_test {

/// Calls of AMX's instructions in lowered kernels become calls of functions of this process, dot products of
/// pairs arithmetic of f32. Nothing else in a module changes. Returns how many instructions of AMX there
/// were.
int64_t emulateAmx(mlir::ModuleOp module);

/// What was wrong with the instructions that this thread has run since the last call: registers that were
/// used before a configuration, or after they were released, and configurations that are not the one of whole
/// registers.
std::vector<std::string> takeAmxFaults();

} // namespace compiler_test
