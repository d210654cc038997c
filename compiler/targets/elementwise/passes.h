// The passes of kernels without a product; passes.td is their manual.
#pragma once

#include "dialects/tile/tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace compiler {

#define GEN_PASS_DECL
#include "compiler/targets/elementwise/passes.h.inc"

void registerElementwisePasses();

} // namespace compiler
