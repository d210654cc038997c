// The passes that GPU targets share; passes.td is their manual.
#pragma once

#include "dialects/sm/sm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace compiler {

#define GEN_PASS_DECL
#include "compiler/targets/thread_block/passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/targets/thread_block/passes.h.inc"

} // namespace compiler
