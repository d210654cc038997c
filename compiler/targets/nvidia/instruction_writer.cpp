#include "compiler/targets/nvidia/instruction_writer.h"

#include "compiler/process/failure.h"
#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/parameters.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace compiler {

void loadAuxiliaryDialects(MLIRContext &context) {
  context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect, LLVM::LLVMDialect, NVVM::NVVMDialect,
                      scf::SCFDialect>();
}

OwningOpRef<ModuleOp> InstructionWriter::declare(StringRef name, ArrayRef<Parameter> parameters,
                                                 int64_t blocks_together) {
  constexpr unsigned shared_alignment = 16;
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getLoc());
  builder.setInsertionPointToStart(module->getBody());
  auto memory = LLVM::GlobalOp::create(builder, LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
                                       /*isConstant=*/false, LLVM::Linkage::External, "shared", Attribute(),
                                       shared_alignment, static_cast<unsigned>(Space::Shared));
  memory.setDsoLocal(false);
  algrt::KernelParameters list;
  for (const Parameter &parameter : parameters)
    list.add(parameter.value, parameter.operand);
  auto function = declareKernel(builder, builder.getLoc(), name, list, threads, blocks_together);
  Block *body = &function.getBody().front();
  for (auto [argument, parameter] : llvm::zip(body->getArguments(), parameters))
    *parameter.argument = argument;
  builder.setInsertionPointToStart(body);
  shared = LLVM::AddressOfOp::create(builder, memory);
  return module;
}

void InstructionWriter::barrier() {
  NVVM::BarrierOp::create(builder, TypeRange(), Value(), Value(), NVVM::BarrierReductionAttr(), Value());
}

void InstructionWriter::when(Value condition, function_ref<void()> then) {
  scf::IfOp::create(builder, condition, [&](OpBuilder &, Location) {
    then();
    scf::YieldOp::create(builder);
  });
}

InstructionWriter::Values InstructionWriter::choose(Value condition, function_ref<Values()> then,
                                                    function_ref<Values()> otherwise) {
  auto branch = [&](function_ref<Values()> values) {
    return [this, values](OpBuilder &, Location) { scf::YieldOp::create(builder, values()); };
  };
  return Values(scf::IfOp::create(builder, condition, branch(then), branch(otherwise)).getResults());
}

InstructionWriter::Values InstructionWriter::loop(Value from, Value to, Value step, ValueRange initial,
                                                  function_ref<Values(Value, ValueRange)> body) {
  auto made = scf::ForOp::create(builder, from, to, step, initial,
                                 [&](OpBuilder &, Location, Value index, ValueRange carried) {
                                   scf::YieldOp::create(builder, body(index, carried));
                                 });
  return Values(made.getResults());
}

void lowerAuxiliary(ModuleOp module, StringRef name) {
  PassManager passes(module.getContext());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  if (failed(passes.run(module)))
    throw Failure("the kernel " + name.str() + " could not be written as instructions");
}

} // namespace compiler
