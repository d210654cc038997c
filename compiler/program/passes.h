// Passes over programs; passes.td is their manual.
#pragma once

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
