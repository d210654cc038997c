#include "compiler/lower/passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace compiler {

void addVectorToLlvm(OpPassManager &passes, bool expand_bf16) {
  if (expand_bf16) {
    arith::ArithExpandOpsPassOptions options;
    options.includeBf16 = true;
    passes.addPass(arith::createArithExpandOpsPass(options));
  }
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(memref::createExpandStridedMetadataPass());
  passes.addPass(createLowerAffinePass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertIndexToLLVMPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
}

void addMathOfGpus(OpPassManager &passes) {
  passes.addPass(createApproximateMath());
  passes.addPass(createExpandMath());
  passes.addPass(createApproximateMath());
}

void registerCompilerPasses() {
  registerAlgctlPasses();
  PassPipelineRegistration<>("vector-to-llvm", "From vectors, memrefs and loops to the LLVM dialect",
                             [](OpPassManager &passes) { addVectorToLlvm(passes, /*expand_bf16=*/true); });
  PassPipelineRegistration<>("math-of-gpus", "The functions of maps as NVIDIA GPUs compute them",
                             addMathOfGpus);
}

} // namespace compiler
