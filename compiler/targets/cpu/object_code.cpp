#include "compiler/targets/cpu/object_code.h"

#include "compiler/process/failure.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>
#include <mutex>

namespace compiler {

static std::unique_ptr<llvm::TargetMachine> targetMachine(const CpuLevel &level) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  const llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    throw AbsentError("this LLVM has no x86-64 backend: " + error);
  std::string features;
  for (const std::string &feature : level.features)
    features += (features.empty() ? "+" : ",+") + feature;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, level.base, features, llvm::TargetOptions(), llvm::Reloc::PIC_,
                                  std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

static void prepareFunctions(llvm::Module &module, const CpuLevel &level,
                             const llvm::TargetMachine &machine) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    if (!level.tune.empty())
      function.addFnAttr("tune-cpu", level.tune);
    // The schedule chose its vectors; generic tuning for these levels would split the widest ones.
    function.addFnAttr("prefer-vector-width", llvm::utostr(level.lanes * 32));
    // A bundle links against nothing: no loop may become a call of memcpy or memset.
    function.addFnAttr("no-builtins");
    function.setDSOLocal(true);
  }
}

/// What our lowering leaves to LLVM: descriptors in pieces, addresses that do not change in a loop, loops
/// that count from zero, and the unrolling of inner ones. Vectors, tiles and prefetches are in the kernels
/// already, and there is nothing to inline; the other passes of -O3 would take two fifths of a compilation
/// and leave kernels as fast as these, or slower. A text's instcombine is one round, and would end the
/// program where a second one finds something to do.
constexpr char pipeline[] =
    "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(loop-rotate,licm),"
    "loop(indvars,loop-deletion),gvn,loop-unroll<O3>,instcombine<no-verify-fixpoint>,loop-mssa(licm),"
    "simplifycfg)";

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, pipeline));
  passes.run(module, modules);
}

std::string generateMachineCode(mlir::ModuleOp module, const CpuLevel &level, MachineCode what) {
  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(module, context, "algctl");
  if (!translated)
    throw Failure("the kernels could not be translated to LLVM IR");
  std::unique_ptr<llvm::TargetMachine> machine = targetMachine(level);
  translated->setTargetTriple(machine->getTargetTriple());
  translated->setDataLayout(machine->createDataLayout());
  prepareFunctions(*translated, level, *machine);
  optimize(*translated, *machine);

  if (what == MachineCode::LlvmIr) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    translated->print(stream, nullptr);
    return text;
  }
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  const auto type =
      what == MachineCode::Assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, type))
    throw Failure("this LLVM cannot write x86-64 machine code");
  passes.run(*translated);
  return std::string(bytes.data(), bytes.size());
}

} // namespace compiler
