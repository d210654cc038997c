// The compiler's passes; passes.td is their manual.
#pragma once

#include "dialects/tile/tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace compiler {

#define GEN_PASS_DECL
#include "compiler/lower/passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/lower/passes.h.inc"

/// The standard passes that take functions on vectors and memrefs to the LLVM dialect. With `expand_bf16`,
/// conversions between bf16 and f32 become integer arithmetic, for machines that have no instruction for
/// them.
void addVectorToLlvm(mlir::OpPassManager &passes, bool expand_bf16);

/// The functions of maps as NVIDIA GPUs compute them: approximate-math and expand-math.
void addMathOfGpus(mlir::OpPassManager &passes);

/// Registers the passes above and the pipeline `vector-to-llvm`, for textual pipelines.
void registerCompilerPasses();

} // namespace compiler
