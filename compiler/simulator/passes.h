// The pass of the simulator; passes.td is its manual.
#ifndef ALGCTL_COMPILER_SIMULATOR_PASSES_H
#define ALGCTL_COMPILER_SIMULATOR_PASSES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace compiler {

#define GEN_PASS_DECL
#include "compiler/simulator/passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/simulator/passes.h.inc"

/// The name of the module's attribute that holds the text of each site's op: an array of strings.
inline constexpr llvm::StringLiteral kSitesAttribute = "sm.sites";

/// What is appended to a kernel's name for the function that takes an array of pointers to its arguments.
inline constexpr llvm::StringLiteral kCallSuffix = ".call";

} // namespace compiler

#endif
