#include "compiler/simulator/host/host_kernel.h"

#include "compiler/process/failure.h"
#include "compiler/simulator/host/model_symbols.h"
#include "compiler/simulator/passes.h"
#include "compiler/targets/nvidia/parameters.h"
#include "runtime/numeric/bfloat16.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"

#include <bit>
#include <mutex>

using namespace mlir;

namespace compiler {

struct HostKernel::Code {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

namespace {

void initializeHost() {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
}

template <typename T> T valueOrFailure(llvm::Expected<T> expected) {
  if (!expected)
    throw Failure("the kernel could not be compiled for the simulator: " +
                  llvm::toString(expected.takeError()));
  return std::move(*expected);
}

void orFailure(llvm::Error error) {
  if (error)
    throw Failure("the kernel could not be compiled for the simulator: " + llvm::toString(std::move(error)));
}

std::string onlyKernel(ModuleOp module) {
  std::string name;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr("nvvm.kernel")) {
      if (!name.empty())
        throw Failure("the module holds more than one kernel: " + name + " and " + function.getName().str());
      name = function.getName();
    }
  return name;
}

void convert(ModuleOp module) {
  std::string messages;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream stream(messages);
    stream << (messages.empty() ? "" : "\n");
    if (auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
      stream << "line " << place.getLine() << ": ";
    stream << diagnostic;
  });
  PassManager passes(module.getContext());
  passes.addPass(createConvertNvvmToSimulator());
  if (failed(passes.run(module)))
    throw Failure(messages.empty() ? "the kernel could not be converted for the simulator" : messages);
}

/// A little: kernels run for a fraction of a second, most of it in the model. What SROA does to structs of
/// sums is worth its time, and so is what then need not be computed twice.
void optimize(llvm::Module &module) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass());
  llvm::createModuleToFunctionPassAdaptor(std::move(passes)).run(module, modules);
}

} // namespace

/// What LLVM calls to round to bf16 on processors that have no instruction for it; the compiler's own
/// library, which has it, is not always there.
static __bf16 truncateToBfloat16(float value) { return std::bit_cast<__bf16>(algrt::toBfloat16(value)); }

HostKernel::HostKernel(ModuleOp module) {
  initializeHost();
  kernel_name_ = onlyKernel(module);
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel_name_);
      function && function->hasAttr(kernel_parameters_name))
    list_ = readParameters(function);
  OwningOpRef<ModuleOp> converted = module.clone();
  convert(*converted);
  for (Attribute text : cast<ArrayAttr>((*converted)->getAttr(sites_attribute)))
    texts_.push_back(cast<StringAttr>(text).str());
  // What the module says about layout and target is about the GPU.
  for (NamedAttribute attribute : llvm::to_vector((*converted)->getDiscardableAttrs()))
    (*converted)->removeDiscardableAttr(attribute.getName());

  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(*converted, *context, kernel_name_);
  if (!translated)
    throw Failure("the kernel could not be translated to LLVM IR for the simulator");

  auto target = valueOrFailure(llvm::orc::JITTargetMachineBuilder::detectHost());
  target.setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  std::unique_ptr<llvm::TargetMachine> machine = valueOrFailure(target.createTargetMachine());
  translated->setTargetTriple(machine->getTargetTriple());
  translated->setDataLayout(machine->createDataLayout());
  optimize(*translated);

  auto jit = valueOrFailure(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(target)).create());
  llvm::orc::SymbolMap symbols;
  for (auto [name, address] : modelSymbols())
    symbols[jit->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                           llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  for (auto [name, address] : {std::pair<const char *, void *>{"memcpy", reinterpret_cast<void *>(::memcpy)},
                               {"memmove", reinterpret_cast<void *>(::memmove)},
                               {"memset", reinterpret_cast<void *>(::memset)},
                               {"__truncsfbf2", reinterpret_cast<void *>(truncateToBfloat16)}})
    symbols[jit->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                           llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  orFailure(jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))));
  orFailure(jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(translated), std::move(context))));
  entry_ = valueOrFailure(jit->lookup(kernel_name_ + call_suffix.str())).toPtr<void (*)(void *const *)>();
  auto kept = std::make_shared<Code>();
  kept->jit = std::move(jit);
  code_ = std::move(kept);
}

const std::string &HostKernel::site(int32_t number) const {
  static const std::string none;
  return number >= 0 && static_cast<size_t>(number) < texts_.size() ? texts_[number] : none;
}

} // namespace compiler
