// alg-opt: runs the passes of the project on MLIR text, one at a time or as a pipeline.
#include "compiler/lower/passes.h"
#include "compiler/program/passes.h"
#include "compiler/simulator/passes.h"
#include "compiler/targets/ampere/passes.h"
#include "compiler/targets/elementwise/passes.h"
#include "compiler/targets/hopper/passes.h"
#include "compiler/targets/nvidia/passes.h"
#include "compiler/targets/thread_block/passes.h"
#include "dialects/sm/sm.h"
#include "dialects/tile/tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::registerTransformsPasses();
  compiler::registerCompilerPasses();
  compiler::registerProgramPasses();
  compiler::registerThreadBlockPasses();
  compiler::registerHopperPasses();
  compiler::registerAmperePasses();
  compiler::registerSimulatorPasses();
  compiler::registerNvidiaPipelines();
  compiler::registerElementwisePasses();
  mlir::DialectRegistry registry;
  registry.insert<alg::AlgDialect, tile::TileDialect, mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                  mlir::func::FuncDialect, mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect, sm::SmDialect,
                  mlir::tensor::TensorDialect, mlir::vector::VectorDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "alg-opt: the passes of the algebra compiler\n", registry));
}
