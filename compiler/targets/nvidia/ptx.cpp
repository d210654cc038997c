#include "compiler/targets/nvidia/ptx.h"

#include "compiler/process/failure.h"
#include "compiler/schedule/targets.h"
#include "compiler/targets/nvidia/instruction_counts.h"
#include "compiler/targets/nvidia/sm_translation.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>
#include <mutex>

namespace compiler {
namespace {

std::unique_ptr<llvm::TargetMachine> targetMachine(const std::string &architecture) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    throw AbsentError("this LLVM has no NVPTX backend: " + error);
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, architecture, entryOf(targetNamed(architecture)).ptx, llvm::TargetOptions(), std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// A module and the context that it lives in.
struct Translated {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  InstructionCounts counts;
};

/// Inline assembly is not convergent by itself: the optimiser could copy it into both sides of a branch, and
/// the threads of a warp would then meet at two instructions instead of one.
void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && call->isInlineAsm())
        call->setConvergent();
}

Translated translate(mlir::ModuleOp module, const llvm::TargetMachine &machine) {
  mlir::MLIRContext &context = *module.getContext();
  mlir::registerBuiltinDialectTranslation(context);
  mlir::registerLLVMDialectTranslation(context);
  mlir::registerNVVMDialectTranslation(context);
  registerSmTranslation(context);

  // Instructions without an intrinsic become inline assembly; the caller keeps its module.
  mlir::OwningOpRef<mlir::ModuleOp> copy(module.clone());
  mlir::PassManager passes(&context);
  passes.addPass(mlir::createConvertNVVMToLLVMPass());
  if (mlir::failed(passes.run(*copy)))
    throw Failure("the instructions of the kernels could not be written as LLVM IR");

  Translated result;
  result.module = mlir::translateModuleToLLVMIR(*copy, *result.context, "algctl");
  if (!result.module)
    throw Failure("the kernels could not be translated to LLVM IR");
  result.module->setTargetTriple(machine.getTargetTriple());
  result.module->setDataLayout(machine.createDataLayout());
  markConvergent(*result.module);
  result.counts = countInstructions(*result.module);
  return result;
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  // Loops are waits and products; unrolled, each product would be a copy of a convergent instruction.
  tuning.LoopUnrolling = false;
  llvm::PassBuilder builder(&machine, tuning);
  machine.registerPassBuilderCallbacks(builder);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

std::string print(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

} // namespace

std::string nvptxLlvmIr(mlir::ModuleOp module, const std::string &architecture) {
  std::unique_ptr<llvm::TargetMachine> machine = targetMachine(architecture);
  Translated translated = translate(module, *machine);
  optimize(*translated.module, *machine);
  return print(*translated.module);
}

PtxModule generatePtx(mlir::ModuleOp module, const std::string &architecture) {
  std::unique_ptr<llvm::TargetMachine> machine = targetMachine(architecture);
  Translated translated = translate(module, *machine);
  optimize(*translated.module, *machine);

  PtxModule result;
  result.llvm_ir = print(*translated.module);
  result.translated = std::move(translated.counts);
  result.optimized = countInstructions(*translated.module);
  result.unmarked_assembly = countUnmarkedAssembly(*translated.module);

  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    throw Failure("this LLVM cannot write PTX");
  passes.run(*translated.module);
  result.ptx.assign(bytes.data(), bytes.size());
  return result;
}

} // namespace compiler
