#include "compiler/targets/elementwise/gpu_kernel.h"

#include "compiler/process/failure.h"
#include "compiler/targets/elementwise/gpu_emitter.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace compiler {

OwningOpRef<ModuleOp> gpuElementwiseModule(tile::ElementwiseOp kernel) {
  OwningOpRef<ModuleOp> module = GpuElementwise(kernel).write();
  PassManager passes(module->getContext());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  if (failed(passes.run(*module)))
    throw Failure("the kernel " + kernel.getSymName().str() + " could not be written as instructions");
  return module;
}

} // namespace compiler
