// The pass of the simulator; passes.td is its manual.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace compiler {

#define GEN_PASS_DECL
#include "compiler/simulator/passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/simulator/passes.h.inc"

/// The name of the module's attribute that holds the text of each site's op: an array of strings.
inline constexpr llvm::StringLiteral sites_attribute = "sm.sites";

/// What is appended to a kernel's name for the function that takes an array of pointers to its arguments.
inline constexpr llvm::StringLiteral call_suffix = ".call";

} // namespace compiler
