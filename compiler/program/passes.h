// Passes over programs; passes.td is their manual.
#ifndef ALGCTL_COMPILER_PROGRAM_PASSES_H
#define ALGCTL_COMPILER_PROGRAM_PASSES_H

#include "dialects/alg/alg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/Pass.h"

namespace compiler {

#define GEN_PASS_DECL
#include "compiler/program/passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/program/passes.h.inc"

} // namespace compiler

#endif
